package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;
import sluice.codecs.ProtocolException;

/**
 * Acceptor's answer to an {@link Initiate} ({@code HandshakeProtocol.Accept}): 12 bytes, big
 * endian. On a messaging connection the acceptor sends nothing else.
 *
 * <pre>
 *   0               4               8        12
 *  +---------------+---------------+--------+
 *  | acceptor's max| version to use| CRC32  |
 *  +---------------+---------------+--------+
 * </pre>
 *
 * Absolute offsets; every method borrows its buffer.
 */
public final class Accept {
  public static final int LENGTH = 12;

  private Accept() {}

  /**
   * Checks the message at index, which must be complete.
   *
   * @throws ProtocolException if its CRC32 is wrong
   */
  public static void check(ByteBuf buffer, int index) {
    int found = buffer.getInt(index + 8);
    int expected = new FrameCrc32().of(buffer, index, 8);
    if (found != expected) {
      throw new ProtocolException(
          "answer to a handshake with CRC32 %08x, expected %08x".formatted(found, expected));
    }
  }

  public static int maxVersion(ByteBuf buffer, int index) {
    return buffer.getInt(index);
  }

  /**
   * The version that the acceptor will read; outside the initiator's range if they have none in
   * common.
   */
  public static int useVersion(ByteBuf buffer, int index) {
    return buffer.getInt(index + 4);
  }

  /**
   * The version that an acceptor of the range min to max answers to an initiator of initiatorMax.
   */
  public static int choose(int min, int max, int initiatorMax) {
    return Math.max(min, Math.min(max, initiatorMax));
  }

  /** Appends an answer. */
  public static void write(ByteBuf out, int maxVersion, int useVersion) {
    int start = out.writerIndex();
    out.writeInt(maxVersion).writeInt(useVersion);
    out.writeInt(new FrameCrc32().of(out, start, 8));
  }
}
