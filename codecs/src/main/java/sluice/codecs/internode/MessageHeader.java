package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import sluice.codecs.ProtocolException;
import sluice.names.Verb;

/**
 * View of the header of one message, versions 12 to 14 ({@code Message.Serializer}). Vints are
 * {@link Vint}s; the payload is not read.
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
   * A {@link #paramType}: the nodes that the receiver passes the message on to, and a message id
   * for each.
   */
  public static final int FORWARD_TO = 0;

  /** A {@link #paramType}: the node that the answer goes to, if it is not the sender. */
  public static final int RESPOND_TO = 1;

  /** Returned by {@link #messageLength(ByteBuf, int, int, int)} while the header is incomplete. */
  public static final long INCOMPLETE = -1;

  /** Returned by {@link #verbAndLength} if only {@link #parse} can read the header. */
  static final long UNUSUAL = -1;

  /** The longest form of three vints, a time, and the word behind them. */
  private static final int USUALLY_THERE = 3 * Vint.MAX_LENGTH + Integer.BYTES + Long.BYTES;

  /** Set if verb or flags take more than a byte, or if there are params. */
  private static final long UNUSUAL_BITS = 0x8080_FF00_0000_0000L;

  /**
   * Clear if verb, flags and count, read as one word with the byte behind them, take one byte each.
   */
  private static final int ONE_BYTE_EACH = 0x8080_8000;

  private ByteBuf buffer = Unpooled.EMPTY_BUFFER;
  private int start;
  private long id;
  private long epoch;
  private int createdAt;
  private long expiresAfter;
  private int verb;
  private int flags;
  private int paramCount;
  private int paramsIndex;
  private int paramsEnd;
  private int payloadIndex;
  private long payloadLength;
  private long taken; // the vint that was read last

  private long paramType;
  private int paramLength;
  private int paramIndex;
  private int nextParam;
  private int paramsLeft;

  /**
   * Length of header and payload of the message at index, whose received bytes end at limit. Reads
   * as little as possible. Borrows the buffer.
   *
   * @return bytes, or {@link #INCOMPLETE} if the header does not end before limit
   * @throws ProtocolException if a length needs more than 63 bits, or a count or param more than 31
   */
  public static long messageLength(ByteBuf buffer, int index, int limit, int version) {
    int at = skipVint(buffer, index, limit);
    if (version >= FIRST_WITH_EPOCH && at >= 0) {
      at = skipVint(buffer, at, limit);
    }
    at = at < 0 ? at : skipVint(buffer, at + 4, limit);
    if (at < 0) {
      return INCOMPLETE;
    }
    int count;
    int word = limit - at >= 4 ? buffer.getInt(at) : -1;
    if ((word & ONE_BYTE_EACH) == 0) {
      count = word >>> 8 & 0xFF;
      if (count == 0 && (word & 0x80) == 0) {
        return (long) at + 4 - index + (word & 0xFF);
      }
      at += 3;
    } else {
      at = skipVint(buffer, at, limit);
      int countIndex = at < 0 ? at : skipVint(buffer, at, limit);
      at = countIndex < 0 ? -1 : skipVint(buffer, countIndex, limit);
      if (at < 0) {
        return INCOMPLETE;
      }
      count = int31(Vint.get(buffer, countIndex), "params");
    }
    at = skipParams(buffer, at, count, limit);
    int end = at < 0 ? at : skipVint(buffer, at, limit);
    return end < 0 ? INCOMPLETE : total(Vint.get(buffer, at), end - index);
  }

  /**
   * Fast path: verb and length of the message at index, if its header is the usual one. The usual
   * header has no params, verb and flags of one byte each, and a payload of less than 2^28 bytes.
   * It must also not lie at the very end of the received bytes, which end at limit. Borrows the
   * buffer.
   *
   * @return a word for {@link #verbIn} and {@link #lengthIn}; or {@link #UNUSUAL}, which needs
   *     {@link #parse}
   */
  static long verbAndLength(ByteBuf buffer, int index, int limit, int version) {
    if (limit - index < USUALLY_THERE) {
      return UNUSUAL;
    }
    int at = index + Vint.lengthOf(buffer.getByte(index));
    if (version >= FIRST_WITH_EPOCH) {
      at += Vint.lengthOf(buffer.getByte(at));
    }
    at += Integer.BYTES;
    at += Vint.lengthOf(buffer.getByte(at));
    long word = buffer.getLong(at); // verb, flags, count, and the payload's length from bit 39 on
    int bytes = Vint.lengthOf((int) (word >>> 32));
    if ((word & UNUSUAL_BITS) != 0 || bytes > 4) {
      return UNUSUAL;
    }
    int payload = (int) (word >>> (40 - 8 * bytes)) & ((1 << (7 * bytes)) - 1);
    return (word >>> 56) << Integer.SIZE | (at + 3 + bytes - index + payload);
  }

  static int verbIn(long verbAndLength) {
    return (int) (verbAndLength >>> Integer.SIZE);
  }

  static int lengthIn(long verbAndLength) {
    return (int) verbAndLength;
  }

  private static int skipVint(ByteBuf buffer, int index, int limit) {
    if (index >= limit) {
      return -1;
    }
    int first = buffer.getByte(index);
    int end = first >= 0 ? index + 1 : index + Vint.lengthOf(first);
    return end <= limit ? end : -1;
  }

  /** Skips the given number of params from index on. Returns the index behind the last, or -1. */
  private static int skipParams(ByteBuf buffer, int index, int count, int limit) {
    int at = index;
    for (int i = 0; i < count; i++) {
      int two = limit - at >= 2 ? buffer.getShort(at) : -1;
      int length;
      if ((two & 0x8080) == 0) {
        at += 2;
        length = two & 0xFF;
      } else {
        int lengthIndex = skipVint(buffer, at, limit);
        at = lengthIndex < 0 ? -1 : skipVint(buffer, lengthIndex, limit);
        if (at < 0) {
          return -1;
        }
        length = int31(Vint.get(buffer, lengthIndex), "bytes of a param");
      }
      if (length > limit - at) {
        return -1;
      }
      at += length;
    }
    return at;
  }

  private static int int31(long value, String what) {
    if (value < 0 || value > Integer.MAX_VALUE) {
      throw new ProtocolException(
          Long.toUnsignedString(value) + " " + what + ", expected less than 2^31");
    }
    return (int) value;
  }

  private static long total(long payloadLength, int headerLength) {
    if (payloadLength < 0 || payloadLength > Long.MAX_VALUE - headerLength) {
      throw new ProtocolException(
          "payload of " + Long.toUnsignedString(payloadLength) + " bytes, expected less than 2^63");
    }
    return payloadLength + headerLength;
  }

  /**
   * Reads the header at index, whose received bytes end at limit. Borrows the buffer.
   *
   * @param version as negotiated, 12 or later
   * @return whether the header, through the payload's length, ends before limit; if not, no other
   *     method has a meaning yet
   * @throws ProtocolException if a length needs more than 63 bits, or verb, flags, a count or a
   *     param more than 31
   */
  public boolean parse(ByteBuf buffer, int index, int limit, int version) {
    this.buffer = buffer;
    start = index;
    int at = take(limit, index);
    if (at < 0) {
      return false;
    }
    id = taken;
    epoch = 0;
    if (version >= FIRST_WITH_EPOCH) {
      at = take(limit, at);
      if (at < 0) {
        return false;
      }
      epoch = taken;
    }
    at = parseTimes(limit, at);
    at = at < 0 ? at : parseSmall(limit, at);
    if (at >= 0 && paramCount != 0) {
      at = skipParams(buffer, at, paramCount, limit);
    }
    paramsEnd = at;
    int end = at < 0 ? -1 : take(limit, at);
    if (end < 0) {
      return false;
    }
    payloadLength = taken;
    payloadIndex = end;
    total(payloadLength, end - index);
    rewindParams();
    return true;
  }

  /**
   * Reads a vint into {@link #taken}. Returns the index behind it, or -1 if it does not end before
   * limit.
   */
  private int take(int limit, int index) {
    if (index >= limit) {
      return -1;
    }
    int first = buffer.getByte(index);
    if (first >= 0) {
      taken = first;
      return index + 1;
    }
    int end = index + Vint.lengthOf(first);
    if (end > limit) {
      return -1;
    }
    taken = Vint.get(buffer, index, first);
    return end;
  }

  /** Reads creation time and lifetime. Returns the index behind them, or -1. */
  private int parseTimes(int limit, int at) {
    if (limit - at >= Long.BYTES) {
      long both = buffer.getLong(at);
      int length = Vint.lengthOf((int) both >>> 24);
      if (length <= Integer.BYTES) { // in the word's second half, aligned to its left
        createdAt = (int) (both >>> 32);
        int value = ((int) both & (-1 >>> length)) >>> (Integer.SIZE - Byte.SIZE * length);
        expiresAfter = value;
        return at + Integer.BYTES + length;
      }
    }
    int end = take(limit, at + Integer.BYTES);
    if (end >= 0) {
      createdAt = buffer.getInt(at);
      expiresAfter = taken;
    }
    return end;
  }

  /** Reads verb, flags and the count of params. Returns the index behind them, or -1. */
  private int parseSmall(int limit, int at) {
    int word = limit - at >= 4 ? buffer.getInt(at) : -1;
    if ((word & ONE_BYTE_EACH) == 0) {
      verb = word >>> 24;
      flags = word >>> 16 & 0xFF;
      paramCount = word >>> 8 & 0xFF;
      paramsIndex = at + 3;
      return paramsIndex;
    }
    int flagsIndex = skipVint(buffer, at, limit);
    int countIndex = flagsIndex < 0 ? -1 : skipVint(buffer, flagsIndex, limit);
    int end = countIndex < 0 ? -1 : skipVint(buffer, countIndex, limit);
    if (end >= 0) {
      verb = int31(Vint.get(buffer, at), "as a verb");
      flags = int31(Vint.get(buffer, flagsIndex), "as flags");
      paramCount = int31(Vint.get(buffer, countIndex), "params");
      paramsIndex = end;
    }
    return end;
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
    return id;
  }

  /** Epoch of the cluster's metadata; 0 before version 14. */
  public long epoch() {
    return epoch;
  }

  /** Low 32 bits of the sender's milliseconds since 1970. */
  public int createdAt() {
    return createdAt;
  }

  public long expiresAfterMillis() {
    return expiresAfter;
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

  /** Index of the first param, behind their count. */
  public int paramsIndex() {
    return paramsIndex;
  }

  /** Index behind the last param. */
  public int paramsEnd() {
    return paramsEnd;
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

  /** Goes before the first param. */
  public void rewindParams() {
    paramsLeft = paramCount;
    nextParam = paramsIndex;
  }

  /** Goes to the next param; false behind the last. */
  public boolean nextParam() {
    if (paramsLeft == 0) {
      return false;
    }
    paramsLeft--;
    int two = buffer.getShort(nextParam);
    if ((two & 0x8080) == 0) {
      paramType = (byte) (two >> 8);
      paramLength = two & 0xFF;
      paramIndex = nextParam + 2;
    } else {
      paramType = Vint.get(buffer, nextParam);
      int lengthIndex = nextParam + Vint.lengthOf(buffer.getByte(nextParam));
      paramLength = (int) Vint.get(buffer, lengthIndex);
      paramIndex = lengthIndex + Vint.lengthOf(buffer.getByte(lengthIndex));
    }
    nextParam = paramIndex + paramLength;
    return true;
  }

  /** {@code ParamType} of the param that {@link #nextParam} went to. */
  public long paramType() {
    return paramType;
  }

  /** Index of its value. */
  public int paramIndex() {
    return paramIndex;
  }

  /** Bytes of its value. */
  public int paramLength() {
    return paramLength;
  }
}
