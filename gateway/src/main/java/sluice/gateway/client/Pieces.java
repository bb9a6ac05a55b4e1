package sluice.gateway.client;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import sluice.codecs.buffer.Bytes;
import sluice.codecs.buffer.SliceList;
import sluice.gateway.loop.Connection;
import sluice.gateway.loop.Loop;
import sluice.gateway.session.Room;

/**
 * A value as it arrived: slices of the buffers that it was read into. Owns them.
 *
 * <p>A slice keeps all of its buffer, which may be up to 64 KiB for a single byte: a client that
 * sends its value byte by byte would take many times the memory that it is counted for. Pieces that
 * {@linkplain Loop#isSmallPartOf are a small part} of their buffer are copied behind each other
 * instead.
 *
 * <p>Begins with {@linkplain #begin room} for all of it, and counts as so many bytes from then on.
 */
public final class Pieces {
  /** Of the buffers that are copied into, each is twice as large as the one before. */
  private static final int LEAST_JOINED = 512;

  private static final int MOST_JOINED = 64 * 1024;

  private final Loop loop;
  private final BackPressure holder;
  private final Room room;
  private ByteBuf[] pieces = new ByteBuf[4];
  private int count;
  private int bytes;
  private int sent; // pieces, of those that are written some at a time
  private int taken; // room
  private long added; // bytes, ever
  private ByteBuf joined; // the last piece, if more may be copied behind it

  /** Pieces whose bytes count as held for a client. */
  Pieces(Loop loop, BackPressure holder, Room room) {
    this.loop = loop;
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

  /** Adds the next length bytes of in, at least one, and advances over them. Borrows in. */
  public void add(ByteBuf in, int length) {
    if (length <= Connection.COPY_BELOW || Loop.isSmallPartOf(in, length)) {
      copy(in, length);
    } else {
      append(loop.readSlice(in, length));
      joined = null;
    }
    added += length;
    bytes += length;
  }

  private void append(ByteBuf piece) {
    if (count == pieces.length) {
      pieces = Arrays.copyOf(pieces, count * 2);
    }
    pieces[count++] = piece;
  }

  private void copy(ByteBuf from, int length) {
    int copied = 0;
    while (copied < length) {
      if (joined == null || !joined.isWritable()) {
        // No larger than what is still to come: the room for that is taken.
        int size = joined == null ? LEAST_JOINED : Math.min(MOST_JOINED, 2 * joined.capacity());
        joined = loop.buffer(Math.max(length - copied, Math.min(size, taken - bytes - copied)));
        append(joined);
      }
      int now = Math.min(length - copied, joined.writableBytes());
      Bytes.append(from, from.readerIndex() + copied, now, joined);
      copied += now;
    }
    from.skipBytes(length);
  }

  /** Writes all pieces, as they are, and keeps none. */
  public void writeTo(Connection connection) {
    for (int i = 0; i < count; i++) {
      ByteBuf piece = pieces[i];
      pieces[i] = null;
      connection.write(piece);
    }
    forget();
  }

  /**
   * Writes pieces as long as connection takes more at once. The room for them stays taken until the
   * {@linkplain #release end}.
   *
   * @return whether all have been written
   */
  boolean writeSome(Connection connection) {
    while (sent < count && connection.isOpen() && connection.channel().isWritable()) {
      ByteBuf piece = pieces[sent];
      pieces[sent++] = null;
      connection.write(piece);
    }
    return sent == count;
  }

  /** Gives all pieces but the last {@code without} bytes to a value, and keeps none. */
  public void moveTo(SliceList value, int without) {
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
    sent = 0;
    joined = null;
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
