package sluice.gateway.route.hash;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** 64-bit hashes for this project's own distributions. */
final class Mix {
  private Mix() {}

  /**
   * A bijection of 64-bit values in which each bit of the result depends on all bits: the finalizer
   * of SplitMix64 (Steele, Lea, Flood, 2014; variant 13 of David Stafford).
   */
  static long mix(long value) {
    long mixed = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
    return mixed ^ (mixed >>> 31);
  }

  /** Spreads a key's 32-bit hash over 64 bits; 0 does not map to 0. */
  static long spread(int hash) {
    return mix(Integer.toUnsignedLong(hash) + 0x9E3779B97F4A7C15L);
  }

  /** One half (0 or 1) of the MD5 of a member's name. */
  static long nameHash(String name, int half) {
    ByteBuf bytes = Unpooled.wrappedBuffer(Member.bytes(name));
    int length = bytes.readableBytes();
    long low = Integer.toUnsignedLong(Md5.word(bytes, 0, length, 2 * half));
    return low | ((long) Md5.word(bytes, 0, length, 2 * half + 1) << 32);
  }
}
