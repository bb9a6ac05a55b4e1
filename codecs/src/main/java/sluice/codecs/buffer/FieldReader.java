package sluice.codecs.buffer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.internal.PlatformDependent;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * Reader of a message's fields, in place. It checks once that the whole message is present and that
 * its buffer has not been released. A {@link ByteBuf} repeats both checks for each field and for
 * each buffer it is a slice of. Each field is only checked to lie within the message.
 *
 * <p>One instance, used again and again. It owns nothing: it is valid until the next {@link #of},
 * and only while the buffer is neither released nor grown. Offsets count from the message's first
 * byte. Allocates nothing.
 */
public final class FieldReader {
  private static final boolean DIRECT =
      PlatformDependent.hasUnsafe() && PlatformDependent.isUnaligned();
  private static final boolean LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

  private ByteBuf in = Unpooled.EMPTY_BUFFER; // used where the buffer has no memory address
  private long address; // of the message's first byte; 0 where the buffer has none
  private int start;
  private int length;

  /**
   * Wraps the message that is the bytes [index, index + length) of a buffer, which is borrowed.
   *
   * @throws IndexOutOfBoundsException if some of them are not in the buffer
   * @throws IllegalReferenceCountException if the buffer was released
   */
  public FieldReader of(ByteBuf buffer, int index, int length) {
    if (buffer.refCnt() == 0) {
      throw new IllegalReferenceCountException(0);
    }
    Objects.checkFromIndexSize(index, length, buffer.capacity());
    this.length = length;
    if (DIRECT && buffer.hasMemoryAddress()) {
      address = buffer.memoryAddress() + index;
      return this;
    }
    address = 0;
    start = index;
    if (in != buffer) { // storing a reference costs a write barrier of the collector
      in = buffer;
    }
    return this;
  }

  /** Length of the message in bytes. */
  public int length() {
    return length;
  }

  /** The signed byte at offset. */
  public byte int8(int offset) {
    Objects.checkIndex(offset, length);
    return address != 0 ? PlatformDependent.getByte(address + offset) : in.getByte(start + offset);
  }

  /** The unsigned byte at offset. */
  public int unsigned8(int offset) {
    return int8(offset) & 0xFF;
  }

  /** The big-endian, unsigned 16-bit integer at offset. */
  public int unsigned16(int offset) {
    Objects.checkFromIndexSize(offset, Short.BYTES, length);
    if (address == 0) {
      return in.getUnsignedShort(start + offset);
    }
    short value = PlatformDependent.getShort(address + offset);
    return (LITTLE ? Short.reverseBytes(value) : value) & 0xFFFF;
  }

  /** The big-endian 32-bit integer at offset. */
  public int int32(int offset) {
    Objects.checkFromIndexSize(offset, Integer.BYTES, length);
    if (address == 0) {
      return in.getInt(start + offset);
    }
    int value = PlatformDependent.getInt(address + offset);
    return LITTLE ? Integer.reverseBytes(value) : value;
  }

  /** The big-endian, unsigned 32-bit integer at offset. */
  public long unsigned32(int offset) {
    return int32(offset) & 0xFFFF_FFFFL;
  }

  /** The big-endian 64-bit integer at offset. */
  public long int64(int offset) {
    Objects.checkFromIndexSize(offset, Long.BYTES, length);
    if (address == 0) {
      return in.getLong(start + offset);
    }
    long value = PlatformDependent.getLong(address + offset);
    return LITTLE ? Long.reverseBytes(value) : value;
  }
}
