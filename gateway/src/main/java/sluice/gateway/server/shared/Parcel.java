package sluice.gateway.server.shared;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import sluice.codecs.buffer.Bytes;
import sluice.codecs.buffer.Slices;
import sluice.gateway.exchange.ServerRequest;
import sluice.gateway.loop.Connection;
import sluice.gateway.loop.Inbox;
import sluice.gateway.loop.Loop;

/**
 * What one end of a pipe between two event loops has for the other, of one turn: requests, and
 * bytes that may be released on any thread. It owns both until the other end takes them; the object
 * itself stays there, to be used for the way back.
 */
final class Parcel implements Inbox.Errand {
  /** Why a connection is closed when one end failed with a parcel. */
  static final String BROKEN = "an error in this program";

  private static final int TAIL = 8 * 1024;

  /** Where parcels go. */
  interface End {
    /** Takes what is in parcel, and parcel. On its loop. */
    void arrived(Parcel parcel);

    /** It could not, or not all: nobody knows what is the reply to what any more. */
    void broken();
  }

  private End to;
  private ServerRequest[] requests = new ServerRequest[8];
  private int requestCount;
  private ByteBuf[] pieces = new ByteBuf[8];
  private int pieceCount;
  private ByteBuf tail; // the last piece, if more can be copied behind it
  private int bytes;
  private int taken;

  /** Goes to this end. */
  Parcel to(End end) {
    to = end;
    return this;
  }

  void add(ServerRequest request) {
    if (requestCount == requests.length) {
      requests = Arrays.copyOf(requests, 2 * requestCount);
    }
    requests[requestCount++] = request;
  }

  /** Adds the bytes [from, from + length) of source. Borrows source. */
  void add(Loop loop, ByteBuf source, int from, int length) {
    bytes += length;
    if (length > Connection.COPY_BELOW) {
      tail = null;
      add(Slices.forAnyThread(source, from, length));
      return;
    }
    if (tail == null || tail.writableBytes() < length) {
      tail = loop.buffer(pieceCount == 0 ? Connection.COPY_BELOW : TAIL);
      add(tail);
    }
    Bytes.append(source, from, length, tail);
  }

  private void add(ByteBuf piece) {
    if (pieceCount == pieces.length) {
      pieces = Arrays.copyOf(pieces, 2 * pieceCount);
    }
    pieces[pieceCount++] = piece;
  }

  /** Says that so many bytes of what came the other way are dealt with. */
  void taken(int bytes) {
    taken = bytes;
  }

  int requests() {
    return requestCount;
  }

  ServerRequest request(int index) {
    return requests[index];
  }

  int pieces() {
    return pieceCount;
  }

  /** Piece {@code index}; the caller owns the result, and takes each once. */
  ByteBuf takePiece(int index) {
    ByteBuf piece = pieces[index];
    pieces[index] = null;
    return piece;
  }

  /** Of all pieces together. */
  int bytes() {
    return bytes;
  }

  /** Bytes of what went the other way that are dealt with. */
  int taken() {
    return taken;
  }

  @Override
  public void run() {
    End end = to;
    boolean whole = false;
    try {
      end.arrived(this);
      whole = true;
    } finally {
      if (!whole) {
        if (to == end) {
          clear();
        }
        end.broken();
      }
    }
  }

  /** Releases the pieces that nobody took, and forgets the requests: as new. */
  void clear() {
    for (int i = 0; i < pieceCount; i++) {
      if (pieces[i] != null) {
        pieces[i].release();
        pieces[i] = null;
      }
    }
    Arrays.fill(requests, 0, requestCount, null);
    pieceCount = 0;
    requestCount = 0;
    bytes = 0;
    taken = 0;
    tail = null;
    to = null;
  }

  @Override
  public void drop() {
    clear();
  }
}
