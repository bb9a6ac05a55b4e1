package sluice.gateway.client;

import io.netty.buffer.ByteBuf;
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
  /** Of the first buffer that is copied into, if so much is still to come. */
  private static final int LEAST_JOINED = 512;

  private final Loop loop;
  private final BackPressure holder;
  private final Room room;
  private final SliceList slices = new SliceList();
  private int taken; // room
  private long added; // bytes, ever

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
    return slices.length();
  }

  /** How much has ever arrived, of this value and those before. */
  long added() {
    return added;
  }

  /** Adds the next length bytes of in, at least one, and advances over them. Borrows in. */
  public void add(ByteBuf in, int length) {
    added += length;
    if (SliceList.isCopied(length) || Loop.isSmallPartOf(in, length)) {
      int more = taken - slices.length() - length; // no room is taken for more than that
      slices.copy(in, in.readerIndex(), length, loop.workspace().allocator(), LEAST_JOINED, more);
      in.skipBytes(length);
    } else {
      slices.add(loop.readSlice(in, length));
    }
  }

  /** Writes all pieces, as they are, and keeps none. */
  public void writeTo(Connection connection) {
    while (!slices.isEmpty()) {
      connection.write(slices.removeFirst());
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
    while (!slices.isEmpty() && connection.isOpen() && connection.channel().isWritable()) {
      connection.write(slices.removeFirst());
    }
    return slices.isEmpty();
  }

  /** Gives all pieces but the last {@code without} bytes to a value, and keeps none. */
  public void moveTo(SliceList value, int without) {
    slices.skipLast(without);
    slices.moveTo(value);
    forget();
  }

  /** Releases all pieces. */
  public void release() {
    slices.clear();
    forget();
  }

  private void forget() {
    if (taken > 0) {
      holder.holdValue(-taken);
      room.giveBack(taken);
      taken = 0;
    }
  }

  /** Whether the last two bytes are CRLF, wherever the stream was cut. */
  public boolean endWithLineEnd() {
    int length = slices.length();
    return length >= 2 && slices.getByte(length - 1) == '\n' && slices.getByte(length - 2) == '\r';
  }

  /**
   * Head and pieces as one contiguous copy, for a store. Borrows head; the caller owns the result.
   */
  public ByteBuf copyBehind(ByteBuf head) {
    ByteBuf whole = head.alloc().directBuffer(head.readableBytes() + slices.length());
    Bytes.append(head, head.readerIndex(), head.readableBytes(), whole);
    slices.appendTo(whole);
    release();
    return whole;
  }
}
