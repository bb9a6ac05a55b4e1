package sluice.codecs.kafka;

import io.netty.buffer.ByteBuf;
import sluice.codecs.ProtocolException;
import sluice.codecs.buffer.ByteQueue;

/**
 * How Kafka Streams 4.3 puts headers in front of a value (KIP-1271):
 *
 * <pre>
 *   size: varint    size bytes       8 bytes, not in all    the rest
 *  +---------------+----------------+----------------------+------------------+
 *  | of headers    | headers        | timestamp            | value            |
 *  +---------------+----------------+----------------------+------------------+
 * </pre>
 *
 * <p>The size is a signed varint, in zigzag order, of at most five bytes; without headers it is the
 * one byte 00. The headers are stepped over by their size and never looked at, as {@code
 * org.apache.kafka.streams.state.internals.Utils} does since KAFKA-20249.
 */
public enum HeadersLayout {
  /** {@code AggregationWithHeadersSerializer}'s, of session stores. */
  HEADERS(0),
  /** {@code ValueTimestampHeadersSerializer}'s, of key-value and window stores. */
  TIMESTAMPED_HEADERS(Long.BYTES);

  private static final int LONGEST_VARINT = 5;

  private final int behind; // bytes between headers and value

  HeadersLayout(int behind) {
    this.behind = behind;
  }

  /**
   * How many bytes stand in front of the plain value: at most the value's length.
   *
   * @throws ProtocolException if the value does not have this layout
   */
  public int plainOffset(ByteQueue value) {
    if (value.pieces() == 1 || value.contiguous(0) >= LONGEST_VARINT) {
      ByteBuf first = value.pieceAt(0);
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
   * The same of a value of length bytes, of which the first five, or all, lie in this buffer from
   * index on. Borrows buffer, moves no index.
   */
  public int plainOffset(ByteBuf buffer, int index, int length) {
    if (length > behind && buffer.getByte(index) == 0) {
      return 1 + behind;
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

  private int checked(int raw, int varint, int length) {
    int size = (raw >>> 1) ^ -(raw & 1);
    if (size < 0 || size > length - varint - behind) {
      throw new ProtocolException(
          "value of "
              + length
              + " bytes says that its headers have "
              + size
              + ", expected "
              + (varint + behind)
              + " more than those at least");
    }
    return varint + size + behind;
  }

  private static ProtocolException notEnded(int length) {
    return new ProtocolException(
        "value of " + length + " bytes begins with no size of headers, expected 1 to 5 bytes");
  }
}
