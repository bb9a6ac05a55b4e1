package sluice.codecs.buffer;

import io.netty.buffer.ByteBuf;

/**
 * 64-bit fingerprint of a key. It is good enough to check whether a reply names the requested key,
 * but never decides which server a key belongs to.
 */
public final class KeyHash {
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  private KeyHash() {}

  /** The fingerprint of the bytes [from, to). Borrows buffer, moves no index. */
  public static long of(ByteBuf buffer, int from, int to) {
    long hash = (to - from) * MULTIPLIER;
    int i = from;
    for (; i + 8 <= to; i += 8) {
      hash = mix(hash ^ buffer.getLongLE(i));
    }
    return mix(hash ^ Bytes.before(buffer, to, to - i));
  }

  private static long mix(long value) {
    long product = value * MULTIPLIER;
    return product ^ (product >>> 29);
  }
}
