package sluice.codecs.buffer;

import io.netty.buffer.ByteBuf;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.internal.PlatformDependent;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * Reads the fields of a message where they lie. That the message is all there, and its buffer not
 * released, is found out once for all of them: a {@link ByteBuf} asks for both again with each
 * field, through as many buffers as it is a slice of. What is left to each field is whether it lies
 * within the message.
 *
 * <p>One instance, used again and again. It owns nothing: it is good until the next {@link #of},
 * and only while the buffer is neither released nor grown. Offsets are from the message's first
 * byte. It allocates nothing.
 */
public final class FieldReader {
  private static final boolean DIRECT =
      PlatformDependent.hasUnsafe() && PlatformDependent.isUnaligned();
  private static final boolean LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

  private ByteBuf in; // where there is no address
  private long address; // of the message's first byte, or 0 where the buffer has none
  private int start;
  private int length;

  /**
   * The message is the bytes [index, index + length) of a buffer, which is borrowed.
   *
   * @throws IndexOutOfBoundsException if they are not all there
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
    if (in != buffer) { // a reference costs the collector's barrier
      in = buffer;
    }
    return this;
  }

  /** Bytes of the message. */
  public int length() {
    return length;
  }

  /** Signed. */
  public byte int8(int offset) {
    Objects.checkIndex(offset, length);
    return address != 0 ? PlatformDependent.getByte(address + offset) : in.getByte(start + offset);
  }

  /** Unsigned. */
  public int unsigned8(int offset) {
    return int8(offset) & 0xFF;
  }

  /** Big endian, unsigned. */
  public int unsigned16(int offset) {
    Objects.checkFromIndexSize(offset, Short.BYTES, length);
    if (address == 0) {
      return in.getUnsignedShort(start + offset);
    }
    short value = PlatformDependent.getShort(address + offset);
    return (LITTLE ? Short.reverseBytes(value) : value) & 0xFFFF;
  }

  /** Big endian. */
  public int int32(int offset) {
    Objects.checkFromIndexSize(offset, Integer.BYTES, length);
    if (address == 0) {
      return in.getInt(start + offset);
    }
    int value = PlatformDependent.getInt(address + offset);
    return LITTLE ? Integer.reverseBytes(value) : value;
  }

  /** Big endian, unsigned. */
  public long unsigned32(int offset) {
    return int32(offset) & 0xFFFF_FFFFL;
  }

  /** Big endian. */
  public long int64(int offset) {
    Objects.checkFromIndexSize(offset, Long.BYTES, length);
    if (address == 0) {
      return in.getLong(start + offset);
    }
    long value = PlatformDependent.getLong(address + offset);
    return LITTLE ? Long.reverseBytes(value) : value;
  }
}
