package sluice.gateway.client;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.Bytes;
import sluice.codecs.buffer.SliceList;
import sluice.gateway.loop.Connection;
import sluice.gateway.loop.Loop;
import sluice.gateway.session.ValueMemory;

/**
 * Value as it arrives: slices of the buffers that it was read into. Owns them.
 *
 * <p>A slice retains all of its buffer, up to 64 KiB for a single byte. A client that sends its
 * value byte by byte would then take many times the memory that is accounted for. Slices that
 * {@linkplain Loop#isSmallPartOf are a small part} of their buffer are therefore copied behind each
 * other.
 *
 * <p>It begins with a {@linkplain #begin reservation} for the whole value, which counts from then
 * on.
 */
public final class ValueSlices {
  /** Size of the first buffer for copies; each further one is twice as large. */
  private static final int LEAST_JOINED = 512;

  private final Loop loop;
  private final BackPressure holder;
  private final ValueMemory valueMemory;
  private final SliceList slices = new SliceList();
  private int taken; // bytes of value memory that are reserved
  private long added; // bytes that were ever added

  /** Slices whose bytes count as held for a client. */
  ValueSlices(Loop loop, BackPressure holder, ValueMemory valueMemory) {
    this.loop = loop;
    this.holder = holder;
    this.valueMemory = valueMemory;
  }

  /** Begins a value of this length, for which memory has been reserved. */
  void begin(int length) {
    taken = length;
    holder.holdValue(length);
    valueMemory.counted(length);
  }

  /** Whether memory is reserved for an unfinished value. */
  boolean isReserved() {
    return taken > 0;
  }

  /** Length of the value for which memory has been reserved. */
  int wanted() {
    return taken;
  }

  /** Bytes of the value that have arrived, including its line end if it has one. */
  public int length() {
    return slices.length();
  }

  /** Bytes that ever arrived, of this value and earlier ones. */
  long added() {
    return added;
  }

  /** Adds the next length bytes of in, at least one, and advances in. Borrows in. */
  public void add(ByteBuf in, int length) {
    added += length;
    if (SliceList.isCopied(length) || Loop.isSmallPartOf(in, length)) {
      int more = taken - slices.length() - length; // no more than the missing bytes is reserved
      slices.copy(in, in.readerIndex(), length, loop.workspace().allocator(), LEAST_JOINED, more);
      in.skipBytes(length);
    } else {
      slices.add(loop.readSlice(in, length));
    }
  }

  /** Writes all slices unchanged, and keeps none. */
  public void writeTo(Connection connection) {
    while (!slices.isEmpty()) {
      connection.write(slices.removeFirst());
    }
    forget();
  }

  /**
   * Writes slices as long as connection takes more at once. Their memory stays reserved until
   * {@link #release}.
   *
   * @return whether all have been written
   */
  boolean writeSome(Connection connection) {
    while (!slices.isEmpty() && connection.isOpen() && connection.channel().isWritable()) {
      connection.write(slices.removeFirst());
    }
    return slices.isEmpty();
  }

  /** Moves all slices except the last {@code without} bytes to a value, and keeps none. */
  public void moveTo(SliceList value, int without) {
    slices.skipLast(without);
    slices.moveTo(value);
    forget();
  }

  /** Releases all slices. */
  public void release() {
    slices.clear();
    forget();
  }

  private void forget() {
    if (taken > 0) {
      holder.holdValue(-taken);
      valueMemory.release(taken);
      taken = 0;
    }
  }

  /** Whether the last two bytes are CRLF, for any cut of the stream. */
  public boolean endWithLineEnd() {
    int length = slices.length();
    return length >= 2 && slices.getByte(length - 1) == '\n' && slices.getByte(length - 2) == '\r';
  }

  /**
   * Head and slices as one contiguous copy, for a store. Borrows head; the caller owns the result.
   */
  public ByteBuf copyBehind(ByteBuf head) {
    ByteBuf whole = head.alloc().directBuffer(head.readableBytes() + slices.length());
    Bytes.append(head, head.readerIndex(), head.readableBytes(), whole);
    slices.appendTo(whole);
    release();
    return whole;
  }
}
