package sluice.codecs.internode;

/**
 * Checksum of frame headers ({@code org.apache.cassandra.net.Crc.crc24}): 24 bits, polynomial
 * {@code 0x1974F0B}, initial value {@code 0x875060}, over the bytes in wire order.
 *
 * <p>Table-driven, one byte a step. A header has only 3 or 5 bytes, so each position has its own
 * table and the steps do not depend on each other.
 */
final class Crc24 {
  private static final int INITIAL = 0x875060;
  private static final int POLYNOMIAL = 0x1974F0B;

  /** Effect of a byte on the register when n more bytes follow it: {@code [n << 8 | byte]}. */
  private static final int[] TABLE = new int[5 * 256];

  private static final int INITIAL_3 = shift(INITIAL, 3);
  private static final int INITIAL_5 = shift(INITIAL, 5);

  static {
    for (int value = 0; value < 256; value++) {
      for (int after = 0; after < 5; after++) {
        TABLE[after << 8 | value] = shift(value << 16, after + 1);
      }
    }
  }

  private Crc24() {}

  private static int shift(int register, int bytes) {
    for (int bit = 0; bit < 8 * bytes; bit++) {
      register <<= 1;
      if ((register & 0x1000000) != 0) {
        register ^= POLYNOMIAL;
      }
    }
    return register;
  }

  /** The checksum of 3 bytes; the lowest byte of {@code header} is the first on the wire. */
  static int of3(int header) {
    return INITIAL_3
        ^ TABLE[2 << 8 | (header & 0xFF)]
        ^ TABLE[1 << 8 | (header >>> 8 & 0xFF)]
        ^ TABLE[header >>> 16 & 0xFF];
  }

  /** The checksum of 5 bytes; the lowest byte of {@code header} is the first on the wire. */
  static int of5(long header) {
    int low = (int) header;
    return INITIAL_5
        ^ TABLE[4 << 8 | (low & 0xFF)]
        ^ TABLE[3 << 8 | (low >>> 8 & 0xFF)]
        ^ TABLE[2 << 8 | (low >>> 16 & 0xFF)]
        ^ TABLE[1 << 8 | low >>> 24]
        ^ TABLE[(int) (header >>> 32) & 0xFF];
  }
}
