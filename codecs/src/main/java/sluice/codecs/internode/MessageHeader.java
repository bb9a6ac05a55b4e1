package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import sluice.codecs.ProtocolException;
import sluice.names.Verb;

/**
 * View of the header of one message, versions 12 to 14 ({@code Message.Serializer}). Vints are
 * {@link Vint}s; the payload is not read. Fields that few callers need are read on request.
 *
 * <pre>
 *  +----+-------+-----------+--------------+------+-------+--------+--------+---------+---------+
 *  | id | epoch | createdAt | expiresAfter | verb | flags | params | params | payload | payload |
 *  |vint| 14:   | 4 bytes   | vint         | vint | vint  | count  |        | length  |         |
 *  |    | vint  |           |              |      |       | vint   |        | vint    |         |
 *  +----+-------+-----------+--------------+------+-------+--------+--------+---------+---------+
 *                              one param: | type vint | length vint | bytes |
 * </pre>
 *
 * One instance, used again and again; it owns nothing and is valid until the next parse and while
 * the buffer is. Allocates nothing.
 */
public final class MessageHeader {
  /** The version that has an epoch: Cassandra 6.0. */
  public static final int FIRST_WITH_EPOCH = 14;

  /** Bit of {@link #flags}: the sender wants a FAILURE_RSP if it fails. */
  public static final int CALL_BACK_ON_FAILURE = 1;

  /**
   * A {@link MessageParams#type}: the nodes to which the receiver passes the message on, and a
   * message id for each.
   */
  public static final int FORWARD_TO = 0;

  /** A {@link MessageParams#type}: the node that the answer goes to, if it is not the sender. */
  public static final int RESPOND_TO = 1;

  /**
   * Clear if verb, flags and count take one byte each; they are read as one word with the byte
   * after them.
   */
  static final int ONE_BYTE_EACH = 0x8080_8000;

  private final MessageParams params = new MessageParams();
  private ByteBuf buffer = Unpooled.EMPTY_BUFFER;
  private int start;
  private int timesIndex;
  private int verb;
  private int flags;
  private int paramCount;
  private int paramsIndex;
  private int payloadIndex;
  private long payloadLength;

  /**
   * Reads the header at index, whose received bytes end at limit. Borrows the buffer.
   *
   * @param version as negotiated, 12 or later
   * @return whether the header, through the payload's length, ends before limit; if not, the other
   *     methods have no meaning yet
   * @throws ProtocolException if a length needs more than 63 bits, or verb, flags, a count or a
   *     param more than 31, or if a number is not in its shortest form
   */
  public boolean parse(ByteBuf buffer, int index, int limit, int version) {
    this.buffer = buffer;
    start = index;
    int at = Vint.skipShortest(buffer, index, limit);
    if (version >= FIRST_WITH_EPOCH && at >= 0) {
      at = Vint.skipShortest(buffer, at, limit);
    }
    timesIndex = at;
    at = at < 0 ? at : Vint.skipShortest(buffer, at + Integer.BYTES, limit);
    at = at < 0 ? at : parseSmall(limit, at);
    if (at >= 0 && paramCount != 0) {
      at = MessageParams.skip(buffer, at, paramCount, limit);
    }
    int end = at < 0 ? at : Vint.skipShortest(buffer, at, limit);
    if (end < 0) {
      return false;
    }
    payloadLength = Vint.get(buffer, at);
    payloadIndex = end;
    total(payloadLength, end - index);
    return true;
  }

  /** Reads verb, flags and the count of params. Returns the index after them, or -1. */
  private int parseSmall(int limit, int at) {
    int word = limit - at >= 4 ? buffer.getInt(at) : -1;
    if ((word & ONE_BYTE_EACH) == 0) {
      verb = word >>> 24;
      flags = word >>> 16 & 0xFF;
      paramCount = word >>> 8 & 0xFF;
      paramsIndex = at + 3;
      return paramsIndex;
    }
    int flagsIndex = Vint.skipShortest(buffer, at, limit);
    int countIndex = flagsIndex < 0 ? -1 : Vint.skipShortest(buffer, flagsIndex, limit);
    int end = countIndex < 0 ? -1 : Vint.skipShortest(buffer, countIndex, limit);
    if (end >= 0) {
      verb = Vint.int31(Vint.get(buffer, at), "as a verb");
      flags = Vint.int31(Vint.get(buffer, flagsIndex), "as flags");
      paramCount = Vint.int31(Vint.get(buffer, countIndex), "params");
      paramsIndex = end;
    }
    return end;
  }

  /** Length of header and payload, if it has no more than 63 bits. */
  static long total(long payloadLength, int headerLength) {
    if (payloadLength < 0 || payloadLength > Long.MAX_VALUE - headerLength) {
      throw new ProtocolException(
          "payload of " + Long.toUnsignedString(payloadLength) + " bytes, expected less than 2^63");
    }
    return payloadLength + headerLength;
  }

  /** The buffer that the header was parsed from: borrowed, as long as its owner keeps it. */
  public ByteBuf buffer() {
    return buffer;
  }

  /** Index of the first byte of the message. */
  public int index() {
    return start;
  }

  /** The id, usually of 32 bits; a node that sent more than 2^31 messages sign-extends it. */
  public long id() {
    return Vint.get(buffer, start);
  }

  /** Epoch of the cluster's metadata; 0 before version 14. */
  public long epoch() {
    int index = start + Vint.lengthOf(buffer.getByte(start));
    return index == timesIndex ? 0 : Vint.get(buffer, index);
  }

  /** Low 32 bits of the sender's milliseconds since 1970. */
  public int createdAt() {
    return buffer.getInt(timesIndex);
  }

  /** Milliseconds from {@link #createdAt} on, unsigned. */
  public long expiresAfterMillis() {
    return Vint.get(buffer, timesIndex + Integer.BYTES);
  }

  /** The verb's id: see {@link Verb#of}. */
  public int verb() {
    return verb;
  }

  public int flags() {
    return flags;
  }

  public int paramCount() {
    return paramCount;
  }

  /** Index of the first param, after their count. */
  public int paramsIndex() {
    return paramsIndex;
  }

  /** Index after the last param. */
  public int paramsEnd() {
    return paramCount == 0
        ? paramsIndex
        : MessageParams.skip(buffer, paramsIndex, paramCount, payloadIndex);
  }

  /** Index of the payload, which need not have arrived. */
  public int payloadIndex() {
    return payloadIndex;
  }

  /** Length of the payload: up to 2^63 - 1 less the header, even if it exceeds any memory. */
  public long payloadLength() {
    return payloadLength;
  }

  /** Length of the header in bytes, through the payload's length. */
  public int headerLength() {
    return payloadIndex - start;
  }

  /** Length of header and payload, in bytes. */
  public long messageLength() {
    return headerLength() + payloadLength;
  }

  /**
   * The params, before the first one. There is one cursor: it is valid until the next call or
   * parse.
   */
  public MessageParams params() {
    return params.rewind(buffer, paramsIndex, paramCount);
  }
}
