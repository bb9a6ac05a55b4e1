package sluice.gateway.client;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import sluice.codecs.buffer.Bytes;
import sluice.gateway.loop.Connection;
import sluice.gateway.session.Room;
import sluice.gateway.values.Value;

/**
 * A value as it arrived: slices of the buffers that it was read into. Owns them.
 *
 * <p>Begins with {@linkplain #begin room} for all of it, and counts as so many bytes from then on.
 */
public final class Pieces {
  private final OrderedReplies holder;
  private final Room room;
  private ByteBuf[] pieces = new ByteBuf[4];
  private int count;
  private int bytes;
  private int taken; // room
  private long added; // bytes, ever

  /** Pieces whose bytes count as held for a client. */
  Pieces(OrderedReplies holder, Room room) {
    this.holder = holder;
    this.room = room;
  }

  /** Room has been taken for a value of so many bytes, which are to be added. */
  void begin(int length) {
    taken = length;
    holder.holdValue(length);
    room.counted(length);
  }

  /** Whether room has been taken for a value that is not done with. */
  boolean hasRoom() {
    return taken > 0;
  }

  /** Bytes of the value for which room has been taken. */
  int wanted() {
    return taken;
  }

  /** Bytes of the value that have arrived, its line end included if it has one. */
  public int length() {
    return bytes;
  }

  /** How much has ever arrived, of this value and those before. */
  long added() {
    return added;
  }

  /** Adds a piece, which is not empty. Consumes piece. */
  public void add(ByteBuf piece) {
    if (count == pieces.length) {
      pieces = Arrays.copyOf(pieces, count * 2);
    }
    pieces[count++] = piece;
    bytes += piece.readableBytes();
    added += piece.readableBytes();
  }

  /** Writes all pieces, as they are, and keeps none. */
  public void writeTo(Connection connection) {
    writeAndKeepRoom(connection);
    forget();
  }

  /** As {@link #writeTo}; the room for them stays taken until the {@linkplain #release end}. */
  void writeAndKeepRoom(Connection connection) {
    for (int i = 0; i < count; i++) {
      ByteBuf piece = pieces[i];
      pieces[i] = null;
      connection.write(piece);
    }
    bytes = 0;
    count = 0;
  }

  /** Gives all pieces but the last {@code without} bytes to a value, and keeps none. */
  public void moveTo(Value value, int without) {
    int left = bytes - without;
    for (int i = 0; i < count; i++) {
      ByteBuf piece = pieces[i];
      pieces[i] = null;
      int here = Math.min(left, piece.readableBytes());
      piece.writerIndex(piece.readerIndex() + here);
      left -= here;
      value.add(piece);
    }
    forget();
  }

  /** Releases all pieces. */
  public void release() {
    for (int i = 0; i < count; i++) {
      if (pieces[i] != null) {
        pieces[i].release();
        pieces[i] = null;
      }
    }
    forget();
  }

  private void forget() {
    if (taken > 0) {
      holder.holdValue(-taken);
      room.giveBack(taken);
      taken = 0;
    }
    bytes = 0;
    count = 0;
  }

  /** Whether the last two bytes are CRLF, wherever the stream was cut. */
  public boolean endWithLineEnd() {
    ByteBuf last = pieces[count - 1];
    int length = last.readableBytes();
    int end = last.readerIndex() + length;
    if (last.getByte(end - 1) != '\n') {
      return false;
    }
    if (length > 1) {
      return last.getByte(end - 2) == '\r';
    }
    ByteBuf before = pieces[count - 2];
    return before.getByte(before.readerIndex() + before.readableBytes() - 1) == '\r';
  }

  /**
   * Head and pieces as one contiguous copy, for a store. Borrows head; the caller owns the result.
   */
  public ByteBuf copyBehind(ByteBuf head) {
    ByteBuf whole = head.alloc().directBuffer(head.readableBytes() + bytes);
    Bytes.append(head, head.readerIndex(), head.readableBytes(), whole);
    for (int i = 0; i < count; i++) {
      Bytes.append(pieces[i], pieces[i].readerIndex(), pieces[i].readableBytes(), whole);
    }
    release();
    return whole;
  }
}
