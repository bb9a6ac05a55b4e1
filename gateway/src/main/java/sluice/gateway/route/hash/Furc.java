package sluice.gateway.route.hash;

import io.netty.buffer.ByteBuf;

/**
 * mcrouter's Ch3, which it calls furc_hash: a walk down a binary tree whose leaves are the members
 * by number. Members are best added at the end: each takes a share of all others' keys, and no
 * other key moves.
 *
 * <p>Each step of the walk uses a bit of an endless stream: MurmurHash64A of the key, then the same
 * function of that number, and so on. Sources: mcrouter's {@code lib/fbi/hash.c} and {@code
 * lib/carbon/Keys-inl.h}; Austin Appleby's MurmurHash2.
 */
final class Furc implements Placement {
  static final int MOST_MEMBERS = 1 << 23;

  private static final long MULTIPLIER = 0xC6A4A7935BD1E995L;
  private static final int SHIFT = 47;
  private static final long SEED = 4_193_360_111L;
  private static final int STRIDE = 23; // bits that belong to one level
  private static final int TRIES = 32; // attempts to find a member's number
  private static final byte BAR = '|';

  private final int members;
  private final int levels;

  /**
   * @throws IllegalArgumentException if there are more than {@link #MOST_MEMBERS}
   */
  Furc(int members) {
    if (members > MOST_MEMBERS) {
      throw new IllegalArgumentException(
          "servers: found " + members + ", expected at most " + MOST_MEMBERS);
    }
    this.members = members;
    levels = Integer.SIZE - Integer.numberOfLeadingZeros(members - 1);
  }

  /**
   * The first 64 bits of a key's stream. The part of a key after {@code |#|}, mcrouter's hash stop,
   * is ignored. Borrows key, moves no index, allocates nothing.
   */
  static long hash(ByteBuf key, int offset, int length) {
    return murmur(key, offset, lengthToStop(key, offset, length));
  }

  private static int lengthToStop(ByteBuf key, int offset, int length) {
    int end = offset + length;
    int bar = key.indexOf(offset, end, BAR);
    while (bar >= 0 && bar + 2 < end) {
      if (key.getByte(bar + 1) == '#' && key.getByte(bar + 2) == BAR) {
        return bar - offset;
      }
      bar = key.indexOf(bar + 1, end, BAR);
    }
    return length;
  }

  private static long murmur(ByteBuf key, int offset, int length) {
    long hash = seeded(length);
    int i = offset;
    for (int end = offset + (length & ~7); i < end; i += 8) {
      hash = (hash ^ scramble(key.getLongLE(i))) * MULTIPLIER;
    }
    int left = length & 7;
    if (left > 0) {
      long rest = 0;
      for (int at = left - 1; at >= 0; at--) {
        rest = (rest << 8) | key.getUnsignedByte(i + at);
      }
      hash = (hash ^ rest) * MULTIPLIER;
    }
    return finish(hash);
  }

  private static long seeded(int length) {
    return SEED ^ (length * MULTIPLIER);
  }

  private static long scramble(long word) {
    long scrambled = word * MULTIPLIER;
    return (scrambled ^ (scrambled >>> SHIFT)) * MULTIPLIER;
  }

  private static long finish(long hash) {
    long mixed = (hash ^ (hash >>> SHIFT)) * MULTIPLIER;
    return mixed ^ (mixed >>> SHIFT);
  }

  /** The word of the stream that is this many steps after the given one. */
  private static long later(long word, int steps) {
    long current = word;
    for (int i = 0; i < steps; i++) {
      current = finish((seeded(Long.BYTES) ^ scramble(current)) * MULTIPLIER);
    }
    return current;
  }

  @Override
  public int memberOf(long hash) {
    int level = levels;
    int at = level;
    long word = hash;
    int place = 0; // index of that word in the stream
    for (int tries = 0; tries < TRIES; tries++) {
      while (true) {
        int wanted = at >>> 6;
        word = wanted < place ? later(hash, wanted) : later(word, wanted - place);
        place = wanted;
        if (((word >>> at) & 1) != 0) {
          break;
        }
        if (--level <= 0) {
          return 0;
        }
        at = level;
      }
      at += STRIDE;
      int number = 1;
      for (int i = 1; i < level; i++, at += STRIDE) {
        word = later(word, (at >>> 6) - place);
        place = at >>> 6;
        number = (number << 1) | (int) ((word >>> at) & 1);
      }
      if (number < members) {
        return number;
      }
    }
    return 0;
  }
}
