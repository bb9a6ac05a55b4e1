package sluice.gateway.route.hash;

import io.netty.buffer.ByteBuf;

/**
 * MD5 (RFC 1321) of bytes in a buffer, one 32-bit word of the digest at a time.
 *
 * <p>The JDK's digest takes a byte array, returns another and has state. This one uses only local
 * variables, so any thread may call it and it allocates nothing.
 */
final class Md5 {
  private static final int BLOCK_LENGTH = 64;
  // length of the last field of the last block: the message's length in bits
  private static final int LENGTH_FIELD = 8;

  private Md5() {}

  /**
   * Word index (0 to 3) of the digest, little-endian. Borrows key, moves no index, allocates
   * nothing.
   */
  static int word(ByteBuf key, int offset, int length, int index) {
    int a0 = 0x67452301;
    int b0 = 0xEFCDAB89;
    int c0 = 0x98BADCFE;
    int d0 = 0x10325476;
    int last = (length + LENGTH_FIELD) / BLOCK_LENGTH * BLOCK_LENGTH;
    for (int at = 0; at <= last; at += BLOCK_LENGTH) {
      int x0 = paddedWord(key, offset, length, at);
      int x1 = paddedWord(key, offset, length, at + 4);
      int x2 = paddedWord(key, offset, length, at + 8);
      int x3 = paddedWord(key, offset, length, at + 12);
      int x4 = paddedWord(key, offset, length, at + 16);
      int x5 = paddedWord(key, offset, length, at + 20);
      int x6 = paddedWord(key, offset, length, at + 24);
      int x7 = paddedWord(key, offset, length, at + 28);
      int x8 = paddedWord(key, offset, length, at + 32);
      int x9 = paddedWord(key, offset, length, at + 36);
      int x10 = paddedWord(key, offset, length, at + 40);
      int x11 = paddedWord(key, offset, length, at + 44);
      int x12 = paddedWord(key, offset, length, at + 48);
      int x13 = paddedWord(key, offset, length, at + 52);
      int x14 = at == last ? length << 3 : paddedWord(key, offset, length, at + 56);
      int x15 = at == last ? length >>> 29 : paddedWord(key, offset, length, at + 60);
      int a = a0;
      int b = b0;
      int c = c0;
      int d = d0;
      a = b + Integer.rotateLeft(a + f(b, c, d) + x0 + 0xD76AA478, 7);
      d = a + Integer.rotateLeft(d + f(a, b, c) + x1 + 0xE8C7B756, 12);
      c = d + Integer.rotateLeft(c + f(d, a, b) + x2 + 0x242070DB, 17);
      b = c + Integer.rotateLeft(b + f(c, d, a) + x3 + 0xC1BDCEEE, 22);
      a = b + Integer.rotateLeft(a + f(b, c, d) + x4 + 0xF57C0FAF, 7);
      d = a + Integer.rotateLeft(d + f(a, b, c) + x5 + 0x4787C62A, 12);
      c = d + Integer.rotateLeft(c + f(d, a, b) + x6 + 0xA8304613, 17);
      b = c + Integer.rotateLeft(b + f(c, d, a) + x7 + 0xFD469501, 22);
      a = b + Integer.rotateLeft(a + f(b, c, d) + x8 + 0x698098D8, 7);
      d = a + Integer.rotateLeft(d + f(a, b, c) + x9 + 0x8B44F7AF, 12);
      c = d + Integer.rotateLeft(c + f(d, a, b) + x10 + 0xFFFF5BB1, 17);
      b = c + Integer.rotateLeft(b + f(c, d, a) + x11 + 0x895CD7BE, 22);
      a = b + Integer.rotateLeft(a + f(b, c, d) + x12 + 0x6B901122, 7);
      d = a + Integer.rotateLeft(d + f(a, b, c) + x13 + 0xFD987193, 12);
      c = d + Integer.rotateLeft(c + f(d, a, b) + x14 + 0xA679438E, 17);
      b = c + Integer.rotateLeft(b + f(c, d, a) + x15 + 0x49B40821, 22);
      a = b + Integer.rotateLeft(a + g(b, c, d) + x1 + 0xF61E2562, 5);
      d = a + Integer.rotateLeft(d + g(a, b, c) + x6 + 0xC040B340, 9);
      c = d + Integer.rotateLeft(c + g(d, a, b) + x11 + 0x265E5A51, 14);
      b = c + Integer.rotateLeft(b + g(c, d, a) + x0 + 0xE9B6C7AA, 20);
      a = b + Integer.rotateLeft(a + g(b, c, d) + x5 + 0xD62F105D, 5);
      d = a + Integer.rotateLeft(d + g(a, b, c) + x10 + 0x02441453, 9);
      c = d + Integer.rotateLeft(c + g(d, a, b) + x15 + 0xD8A1E681, 14);
      b = c + Integer.rotateLeft(b + g(c, d, a) + x4 + 0xE7D3FBC8, 20);
      a = b + Integer.rotateLeft(a + g(b, c, d) + x9 + 0x21E1CDE6, 5);
      d = a + Integer.rotateLeft(d + g(a, b, c) + x14 + 0xC33707D6, 9);
      c = d + Integer.rotateLeft(c + g(d, a, b) + x3 + 0xF4D50D87, 14);
      b = c + Integer.rotateLeft(b + g(c, d, a) + x8 + 0x455A14ED, 20);
      a = b + Integer.rotateLeft(a + g(b, c, d) + x13 + 0xA9E3E905, 5);
      d = a + Integer.rotateLeft(d + g(a, b, c) + x2 + 0xFCEFA3F8, 9);
      c = d + Integer.rotateLeft(c + g(d, a, b) + x7 + 0x676F02D9, 14);
      b = c + Integer.rotateLeft(b + g(c, d, a) + x12 + 0x8D2A4C8A, 20);
      a = b + Integer.rotateLeft(a + h(b, c, d) + x5 + 0xFFFA3942, 4);
      d = a + Integer.rotateLeft(d + h(a, b, c) + x8 + 0x8771F681, 11);
      c = d + Integer.rotateLeft(c + h(d, a, b) + x11 + 0x6D9D6122, 16);
      b = c + Integer.rotateLeft(b + h(c, d, a) + x14 + 0xFDE5380C, 23);
      a = b + Integer.rotateLeft(a + h(b, c, d) + x1 + 0xA4BEEA44, 4);
      d = a + Integer.rotateLeft(d + h(a, b, c) + x4 + 0x4BDECFA9, 11);
      c = d + Integer.rotateLeft(c + h(d, a, b) + x7 + 0xF6BB4B60, 16);
      b = c + Integer.rotateLeft(b + h(c, d, a) + x10 + 0xBEBFBC70, 23);
      a = b + Integer.rotateLeft(a + h(b, c, d) + x13 + 0x289B7EC6, 4);
      d = a + Integer.rotateLeft(d + h(a, b, c) + x0 + 0xEAA127FA, 11);
      c = d + Integer.rotateLeft(c + h(d, a, b) + x3 + 0xD4EF3085, 16);
      b = c + Integer.rotateLeft(b + h(c, d, a) + x6 + 0x04881D05, 23);
      a = b + Integer.rotateLeft(a + h(b, c, d) + x9 + 0xD9D4D039, 4);
      d = a + Integer.rotateLeft(d + h(a, b, c) + x12 + 0xE6DB99E5, 11);
      c = d + Integer.rotateLeft(c + h(d, a, b) + x15 + 0x1FA27CF8, 16);
      b = c + Integer.rotateLeft(b + h(c, d, a) + x2 + 0xC4AC5665, 23);
      a = b + Integer.rotateLeft(a + i(b, c, d) + x0 + 0xF4292244, 6);
      d = a + Integer.rotateLeft(d + i(a, b, c) + x7 + 0x432AFF97, 10);
      c = d + Integer.rotateLeft(c + i(d, a, b) + x14 + 0xAB9423A7, 15);
      b = c + Integer.rotateLeft(b + i(c, d, a) + x5 + 0xFC93A039, 21);
      a = b + Integer.rotateLeft(a + i(b, c, d) + x12 + 0x655B59C3, 6);
      d = a + Integer.rotateLeft(d + i(a, b, c) + x3 + 0x8F0CCC92, 10);
      c = d + Integer.rotateLeft(c + i(d, a, b) + x10 + 0xFFEFF47D, 15);
      b = c + Integer.rotateLeft(b + i(c, d, a) + x1 + 0x85845DD1, 21);
      a = b + Integer.rotateLeft(a + i(b, c, d) + x8 + 0x6FA87E4F, 6);
      d = a + Integer.rotateLeft(d + i(a, b, c) + x15 + 0xFE2CE6E0, 10);
      c = d + Integer.rotateLeft(c + i(d, a, b) + x6 + 0xA3014314, 15);
      b = c + Integer.rotateLeft(b + i(c, d, a) + x13 + 0x4E0811A1, 21);
      a = b + Integer.rotateLeft(a + i(b, c, d) + x4 + 0xF7537E82, 6);
      d = a + Integer.rotateLeft(d + i(a, b, c) + x11 + 0xBD3AF235, 10);
      c = d + Integer.rotateLeft(c + i(d, a, b) + x2 + 0x2AD7D2BB, 15);
      b = c + Integer.rotateLeft(b + i(c, d, a) + x9 + 0xEB86D391, 21);
      a0 += a;
      b0 += b;
      c0 += c;
      d0 += d;
    }
    return switch (index) {
      case 0 -> a0;
      case 1 -> b0;
      case 2 -> c0;
      default -> d0;
    };
  }

  /** The padded message's word at position: the key's bytes, then a single 1 bit, then zeros. */
  private static int paddedWord(ByteBuf key, int offset, int length, int position) {
    return switch (Math.max(length - position, -1)) {
      case -1 -> 0;
      case 0 -> 0x80;
      case 1 -> key.getUnsignedByte(offset + position) | 0x8000;
      case 2 -> key.getUnsignedShortLE(offset + position) | 0x80_0000;
      case 3 -> key.getUnsignedMediumLE(offset + position) | 0x8000_0000;
      default -> key.getIntLE(offset + position);
    };
  }

  private static int f(int x, int y, int z) {
    return z ^ (x & (y ^ z));
  }

  private static int g(int x, int y, int z) {
    return y ^ (z & (x ^ y));
  }

  private static int h(int x, int y, int z) {
    return x ^ y ^ z;
  }

  private static int i(int x, int y, int z) {
    return y ^ (x | ~z);
  }
}
