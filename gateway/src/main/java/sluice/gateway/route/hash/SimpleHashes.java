package sluice.gateway.route.hash;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.Bytes;

/**
 * Hash functions that read a key one or two bytes at a time: Jenkins' one_at_a_time, the FNV
 * family, Hsieh's SuperFastHash.
 *
 * <p>Every method borrows key, moves no index and allocates nothing.
 */
final class SimpleHashes {
  private static final int FNV_32_OFFSET = 0x811C9DC5;
  private static final int FNV_32_PRIME = 0x01000193;

  // FNV-64's constants cut to 32 bits. Products and exclusive ors carry nothing downwards, so these
  // suffice for the low half of the 64-bit fnv1 that both projects return. Their fnv1a_64 computes
  // in 32 bits from the start.
  private static final int FNV_64_OFFSET_LOW = 0x84222325;
  private static final int FNV_64_PRIME_LOW = 0x000001B3;

  private SimpleHashes() {}

  static int oneAtATime(ByteBuf key, int offset, int length) {
    int hash = 0;
    for (int i = offset, end = offset + length; i < end; i++) {
      hash += key.getByte(i);
      hash += hash << 10;
      hash ^= hash >>> 6;
    }
    hash += hash << 3;
    hash ^= hash >>> 11;
    hash += hash << 15;
    return hash;
  }

  static int fnv1(ByteBuf key, int offset, int length) {
    return fnv1(key, offset, length, FNV_32_OFFSET, FNV_32_PRIME);
  }

  static int fnv1a(ByteBuf key, int offset, int length) {
    return fnv1a(key, offset, length, FNV_32_OFFSET, FNV_32_PRIME);
  }

  static int fnv1Low64(ByteBuf key, int offset, int length) {
    return fnv1(key, offset, length, FNV_64_OFFSET_LOW, FNV_64_PRIME_LOW);
  }

  static int fnv1aLow64(ByteBuf key, int offset, int length) {
    return fnv1a(key, offset, length, FNV_64_OFFSET_LOW, FNV_64_PRIME_LOW);
  }

  private static int fnv1(ByteBuf key, int offset, int length, int basis, int prime) {
    int hash = basis;
    int i = offset;
    int end = offset + length;
    for (; i + Long.BYTES <= end; i += Long.BYTES) {
      long word = key.getLong(i);
      for (int shift = 56; shift >= 0; shift -= 8) {
        hash *= prime;
        hash ^= (byte) (word >>> shift);
      }
    }
    long rest = Bytes.before(key, end, end - i);
    for (int shift = 8 * (end - i - 1); shift >= 0; shift -= 8) {
      hash *= prime;
      hash ^= (byte) (rest >>> shift);
    }
    return hash;
  }

  private static int fnv1a(ByteBuf key, int offset, int length, int basis, int prime) {
    int hash = basis;
    int i = offset;
    int end = offset + length;
    for (; i + Long.BYTES <= end; i += Long.BYTES) {
      long word = key.getLong(i);
      for (int shift = 56; shift >= 0; shift -= 8) {
        hash ^= (byte) (word >>> shift);
        hash *= prime;
      }
    }
    long rest = Bytes.before(key, end, end - i);
    for (int shift = 8 * (end - i - 1); shift >= 0; shift -= 8) {
      hash ^= (byte) (rest >>> shift);
      hash *= prime;
    }
    return hash;
  }

  static int hsieh(ByteBuf key, int offset, int length) {
    int hash = 0;
    int i = offset;
    for (int end = offset + (length & ~3); i < end; i += 4) {
      hash += key.getUnsignedShortLE(i);
      hash = (hash << 16) ^ (key.getUnsignedShortLE(i + 2) << 11) ^ hash;
      hash += hash >>> 11;
    }
    switch (length & 3) {
      case 3 -> {
        hash += key.getUnsignedShortLE(i);
        hash ^= hash << 16;
        hash ^= key.getByte(i + 2) << 18; // a plain char in the originals: negative above 0x7F
        hash += hash >>> 11;
      }
      case 2 -> {
        hash += key.getUnsignedShortLE(i);
        hash ^= hash << 11;
        hash += hash >>> 17;
      }
      case 1 -> {
        hash += key.getUnsignedByte(i); // unlike the third byte above, an unsigned char
        hash ^= hash << 10;
        hash += hash >>> 1;
      }
      default -> {}
    }
    hash ^= hash << 3;
    hash += hash >>> 5;
    hash ^= hash << 4;
    hash += hash >>> 17;
    hash ^= hash << 25;
    hash += hash >>> 6;
    return hash;
  }

  /** {@code String.hashCode} of the bytes as characters, which keys of ASCII are. */
  static int java(ByteBuf key, int offset, int length) {
    int hash = 0;
    for (int i = offset; i < offset + length; i++) {
      hash = 31 * hash + key.getUnsignedByte(i);
    }
    return hash;
  }
}
