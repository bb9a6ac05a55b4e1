package sluice.gateway.route.hash;

import io.netty.buffer.ByteBuf;

/**
 * Hash functions based on cyclic redundancy checks, as in twemproxy.
 *
 * <p>Every method borrows key, moves no index and allocates nothing.
 */
final class Crc {
  private static final int CRC16_CCITT_POLYNOMIAL = 0x1021;
  private static final int CRC32_POLYNOMIAL_REFLECTED = 0xEDB88320;
  private static final int[] CRC16_TABLE = crc16Table();
  private static final int[] CRC32_TABLE = crc32Table();

  private Crc() {}

  /**
   * CRC-16/XMODEM in its low 16 bits. Above them are the bits that the register shifted out, which
   * the original does not mask. The ring uses all 32 bits.
   */
  static int crc16(ByteBuf key, int offset, int length) {
    int crc = 0;
    for (int i = offset, end = offset + length; i < end; i++) {
      crc = (crc << 8) ^ CRC16_TABLE[((crc >>> 8) ^ key.getByte(i)) & 0xFF];
    }
    return crc;
  }

  /**
   * 15 bits of CRC-32, as in libmemcached's crc: all hashes are among the ring's first 32768
   * values.
   */
  static int crc32(ByteBuf key, int offset, int length) {
    return (crc32a(key, offset, length) >>> 16) & 0x7FFF;
  }

  /** CRC-32 of Ethernet and zlib. */
  static int crc32a(ByteBuf key, int offset, int length) {
    int crc = -1;
    for (int i = offset, end = offset + length; i < end; i++) {
      crc = (crc >>> 8) ^ CRC32_TABLE[(crc ^ key.getByte(i)) & 0xFF];
    }
    return ~crc;
  }

  private static int[] crc16Table() {
    int[] table = new int[256];
    for (int i = 0; i < 256; i++) {
      int crc = i << 8;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc & 0x8000) != 0 ? (crc << 1) ^ CRC16_CCITT_POLYNOMIAL : crc << 1;
      }
      table[i] = crc & 0xFFFF;
    }
    return table;
  }

  private static int[] crc32Table() {
    int[] table = new int[256];
    for (int i = 0; i < 256; i++) {
      int crc = i;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc & 1) != 0 ? (crc >>> 1) ^ CRC32_POLYNOMIAL_REFLECTED : crc >>> 1;
      }
      table[i] = crc;
    }
    return table;
  }
}
