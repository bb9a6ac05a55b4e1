package sluice.codecs.kafka;

import io.netty.buffer.ByteBuf;
import sluice.codecs.ProtocolException;
import sluice.codecs.buffer.SliceList;

/**
 * Layout of the headers that Kafka Streams 4.3 puts before a value (KIP-1271):
 *
 * <pre>
 *   size: varint    size bytes       8 bytes, not in all    the rest
 *  +---------------+----------------+----------------------+------------------+
 *  | of headers    | headers        | timestamp            | value            |
 *  +---------------+----------------+----------------------+------------------+
 * </pre>
 *
 * <p>The size is a signed varint, in zigzag order, of at most five bytes; without headers it is the
 * one byte 00. The headers are skipped by their size and never parsed, as {@code
 * org.apache.kafka.streams.state.internals.Utils} does since KAFKA-20249.
 */
public enum HeadersLayout {
  /** The layout of {@code AggregationWithHeadersSerializer}, for session stores. */
  HEADERS,
  /** The layout of {@code ValueTimestampHeadersSerializer}, for key-value and window stores. */
  TIMESTAMPED_HEADERS;

  private static final int LONGEST_VARINT = 5;

  /** Bytes between headers and value. Not a field, so that the JIT sees a constant. */
  private int behind() {
    return this == HEADERS ? 0 : Long.BYTES;
  }

  /**
   * Offset of the plain value, at most the value's length.
   *
   * @throws ProtocolException if the value does not have this layout
   */
  public int plainOffset(SliceList value) {
    if (value.count() == 1 || value.contiguous(0) >= LONGEST_VARINT) {
      ByteBuf first = value.get(0);
      return plainOffset(first, first.readerIndex(), value.length());
    }
    int raw = 0;
    for (int i = 0; i < Math.min(LONGEST_VARINT, value.length()); i++) {
      byte next = value.getByte(i);
      raw |= (next & 0x7F) << (7 * i);
      if (next >= 0) {
        return checked(raw, i + 1, value.length());
      }
    }
    throw notEnded(value.length());
  }

  /**
   * The same for a value of length bytes. Its first five bytes, or all if there are fewer, lie in
   * this buffer from index on. Borrows buffer, moves no index.
   */
  public int plainOffset(ByteBuf buffer, int index, int length) {
    if (length > behind() && buffer.getByte(index) == 0) {
      return 1 + behind();
    }
    int raw = 0;
    for (int i = 0; i < Math.min(LONGEST_VARINT, length); i++) {
      byte next = buffer.getByte(index + i);
      raw |= (next & 0x7F) << (7 * i);
      if (next >= 0) {
        return checked(raw, i + 1, length);
      }
    }
    throw notEnded(length);
  }

  /**
   * The plain value in an array, for callers without a buffer; the caller owns the result. The
   * gateway itself passes slices on.
   *
   * @throws ProtocolException if the value does not have this layout
   */
  public byte[] plain(byte[] value) {
    if (value.length > behind() && value[0] == 0) {
      return from(1 + behind(), value);
    }
    int raw = 0;
    for (int i = 0; i < Math.min(LONGEST_VARINT, value.length); i++) {
      raw |= (value[i] & 0x7F) << (7 * i);
      if (value[i] >= 0) {
        return from(checked(raw, i + 1, value.length), value);
      }
    }
    throw notEnded(value.length);
  }

  private static byte[] from(int offset, byte[] value) {
    byte[] plain = new byte[value.length - offset];
    System.arraycopy(value, offset, plain, 0, plain.length);
    return plain;
  }

  private int checked(int raw, int varint, int length) {
    int size = (raw >>> 1) ^ -(raw & 1);
    if (size < 0 || size > length - varint - behind()) {
      throw new ProtocolException(
          "value of "
              + length
              + " bytes has a header size of "
              + size
              + ", expected a size that leaves "
              + (varint + behind())
              + " other bytes");
    }
    return varint + size + behind();
  }

  private static ProtocolException notEnded(int length) {
    return new ProtocolException(
        "value of " + length + " bytes does not begin with a header size, expected 1 to 5 bytes");
  }
}
