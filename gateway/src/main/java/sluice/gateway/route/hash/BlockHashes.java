package sluice.gateway.route.hash;

import io.netty.buffer.ByteBuf;

/**
 * Hash functions over 32-bit little-endian words of a key: MurmurHash2, MurmurHash3 (x86, 32 bits)
 * and Jenkins' lookup3, with the seeds of twemproxy and libmemcached.
 *
 * <p>Every method borrows key, moves no index and allocates nothing.
 */
final class BlockHashes {
  private static final int MURMUR2_MULTIPLIER = 0x5BD1E995;
  private static final int MURMUR_SEED_FACTOR = 0xDEADBEEF; // the seed is this times the length
  private static final int LOOKUP3_BASE = 0xDEADBEEF;
  private static final int LOOKUP3_SEED = 13;

  private BlockHashes() {}

  static int murmur(ByteBuf key, int offset, int length) {
    int hash = (MURMUR_SEED_FACTOR * length) ^ length;
    int i = offset;
    for (int end = offset + (length & ~3); i < end; i += 4) {
      int word = key.getIntLE(i) * MURMUR2_MULTIPLIER;
      word ^= word >>> 24;
      hash = (hash * MURMUR2_MULTIPLIER) ^ (word * MURMUR2_MULTIPLIER);
    }
    if ((length & 3) != 0) {
      hash = (hash ^ partialWord(key, i, length & 3)) * MURMUR2_MULTIPLIER;
    }
    hash ^= hash >>> 13;
    hash *= MURMUR2_MULTIPLIER;
    hash ^= hash >>> 15;
    return hash;
  }

  static int murmur3(ByteBuf key, int offset, int length) {
    int hash = MURMUR_SEED_FACTOR * length;
    int i = offset;
    for (int end = offset + (length & ~3); i < end; i += 4) {
      hash = murmur3Word(hash, key.getIntLE(i));
    }
    return murmur3End(hash, partialWord(key, i, length & 3), length);
  }

  /** MurmurHash3's state after one more word. */
  static int murmur3Word(int state, int word) {
    return Integer.rotateLeft(state ^ scrambleMurmur3(word), 13) * 5 + 0xE6546B64;
  }

  /**
   * MurmurHash3 after the last whole word.
   *
   * @param rest the bytes after it, little-endian
   * @param length of everything in bytes
   */
  static int murmur3End(int state, int rest, int length) {
    int hash = state ^ scrambleMurmur3(rest) ^ length;
    hash ^= hash >>> 16;
    hash *= 0x85EBCA6B;
    hash ^= hash >>> 13;
    hash *= 0xC2B2AE35;
    hash ^= hash >>> 16;
    return hash;
  }

  private static int scrambleMurmur3(int word) {
    return Integer.rotateLeft(word * 0xCC9E2D51, 15) * 0x1B873593;
  }

  static int jenkins(ByteBuf key, int offset, int length) {
    int a = LOOKUP3_BASE + length + LOOKUP3_SEED;
    int b = a;
    int c = a;
    if (length == 0) {
      return c;
    }
    int i = offset;
    int left = length;
    for (; left > 12; left -= 12, i += 12) {
      a += key.getIntLE(i);
      b += key.getIntLE(i + 4);
      c += key.getIntLE(i + 8);
      a = (a - c) ^ Integer.rotateLeft(c, 4);
      c += b;
      b = (b - a) ^ Integer.rotateLeft(a, 6);
      a += c;
      c = (c - b) ^ Integer.rotateLeft(b, 8);
      b += a;
      a = (a - c) ^ Integer.rotateLeft(c, 16);
      c += b;
      b = (b - a) ^ Integer.rotateLeft(a, 19);
      a += c;
      c = (c - b) ^ Integer.rotateLeft(b, 4);
      b += a;
    }
    a += wordOrPart(key, i, left);
    b += wordOrPart(key, i + 4, left - 4);
    c += wordOrPart(key, i + 8, left - 8);
    c = (c ^ b) - Integer.rotateLeft(b, 14);
    a = (a ^ c) - Integer.rotateLeft(c, 11);
    b = (b ^ a) - Integer.rotateLeft(a, 25);
    c = (c ^ b) - Integer.rotateLeft(b, 16);
    a = (a ^ c) - Integer.rotateLeft(c, 4);
    b = (b ^ a) - Integer.rotateLeft(a, 14);
    c = (c ^ b) - Integer.rotateLeft(b, 24);
    return c;
  }

  /** The word at index, of which {@code left} bytes belong to the key; missing bytes read as 0. */
  private static int wordOrPart(ByteBuf key, int index, int left) {
    return left >= 4 ? key.getIntLE(index) : partialWord(key, index, left);
  }

  private static int partialWord(ByteBuf key, int index, int count) {
    return switch (count) {
      case 3 -> key.getUnsignedMediumLE(index);
      case 2 -> key.getUnsignedShortLE(index);
      case 1 -> key.getUnsignedByte(index);
      default -> 0;
    };
  }
}
