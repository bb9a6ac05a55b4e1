package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;
import sluice.codecs.ProtocolException;

/**
 * Length of a message, versions 12 to 14, in bytes of header and payload: read from as little of
 * its header as possible. {@link MessageHeader} has the layout, and reads all of it. Every method
 * borrows its buffer and moves no index. Allocates nothing.
 */
public final class MessageLength {
  /** Returned by {@link #of} while the header is incomplete. */
  public static final long INCOMPLETE = -1;

  /** Returned by {@link #withVerb} if only {@link MessageHeader#parse} can read the header. */
  static final long UNUSUAL = -1;

  /** The longest form of three vints, a time, and the word after them. */
  private static final int USUALLY_THERE = 3 * Vint.MAX_LENGTH + Integer.BYTES + Long.BYTES;

  /** Set if verb or flags take more than a byte, or if there are params. */
  private static final long UNUSUAL_BITS = 0x8080_FF00_0000_0000L;

  private MessageLength() {}

  /**
   * Length of header and payload of the message at index, whose received bytes end at limit. Reads
   * as little as possible. Borrows the buffer.
   *
   * @return bytes, or {@link #INCOMPLETE} if the header does not end before limit
   * @throws ProtocolException if a length needs more than 63 bits, or a count or param more than
   *     31, or if a number is not in its shortest form
   */
  public static long of(ByteBuf buffer, int index, int limit, int version) {
    int at = Vint.skipShortest(buffer, index, limit);
    if (version >= MessageHeader.FIRST_WITH_EPOCH && at >= 0) {
      at = Vint.skipShortest(buffer, at, limit);
    }
    at = at < 0 ? at : Vint.skipShortest(buffer, at + 4, limit);
    if (at < 0) {
      return INCOMPLETE;
    }
    int count;
    int word = limit - at >= 4 ? buffer.getInt(at) : -1;
    if ((word & MessageHeader.ONE_BYTE_EACH) == 0) {
      count = word >>> 8 & 0xFF;
      if (count == 0 && (word & 0x80) == 0) {
        return (long) at + 4 - index + (word & 0xFF);
      }
      at += 3;
    } else {
      at = Vint.skipShortest(buffer, at, limit);
      int countIndex = at < 0 ? at : Vint.skipShortest(buffer, at, limit);
      at = countIndex < 0 ? -1 : Vint.skipShortest(buffer, countIndex, limit);
      if (at < 0) {
        return INCOMPLETE;
      }
      count = Vint.int31(Vint.get(buffer, countIndex), "params");
    }
    at = MessageParams.skip(buffer, at, count, limit);
    int end = at < 0 ? at : Vint.skipShortest(buffer, at, limit);
    return end < 0 ? INCOMPLETE : MessageHeader.total(Vint.get(buffer, at), end - index);
  }

  /**
   * Fast path: verb and length of the message at index, if its header is the usual one. The usual
   * header has no params, verb and flags of one byte each, and a payload of less than 2^28 bytes.
   * It must also not lie at the very end of the received bytes, which end at limit. Whether numbers
   * are in their shortest form is not checked: for counting only. Borrows the buffer.
   *
   * @return a word for {@link #verbIn} and {@link #lengthIn}; or {@link #UNUSUAL}, which needs
   *     {@link MessageHeader#parse}
   */
  static long withVerb(ByteBuf buffer, int index, int limit, int version) {
    if (limit - index < USUALLY_THERE) {
      return UNUSUAL;
    }
    int at = index + Vint.lengthOf(buffer.getByte(index));
    if (version >= MessageHeader.FIRST_WITH_EPOCH) {
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

  /** The verb's id in a word of {@link #withVerb}. */
  static int verbIn(long withVerb) {
    return (int) (withVerb >>> Integer.SIZE);
  }

  /** The length in a word of {@link #withVerb}, in bytes. */
  static int lengthIn(long withVerb) {
    return (int) withVerb;
  }
}
