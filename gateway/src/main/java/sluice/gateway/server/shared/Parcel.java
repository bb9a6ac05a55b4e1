package sluice.gateway.server.shared;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.buffer.Slices;
import sluice.gateway.exchange.ServerRequest;
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

  /** Of the first buffer that is copied into: room for several short requests. */
  private static final int LEAST_JOINED = 512;

  /** How much may come behind it: as much as there is. */
  private static final int ANY = 1 << 20;

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
  private final SliceList slices = new SliceList();
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
    if (SliceList.isCopied(length)) {
      slices.copy(source, from, length, loop.workspace().allocator(), LEAST_JOINED, ANY);
    } else {
      slices.add(Slices.forAnyThread(source, from, length));
    }
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

  /** What it carries; borrowed, and slices may be taken out. */
  SliceList slices() {
    return slices;
  }

  /** Of all slices that are in it. */
  int bytes() {
    return slices.length();
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

  /** Releases the slices that nobody took, and forgets the requests: as new. */
  void clear() {
    slices.clear();
    Arrays.fill(requests, 0, requestCount, null);
    requestCount = 0;
    taken = 0;
    to = null;
  }

  @Override
  public void drop() {
    clear();
  }
}
