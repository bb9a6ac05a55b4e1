package sluice.ring;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;

/** Values that follow from their key, so that what was written need not be kept to be compared. */
final class Values {

  // Smaller than a frame, so that a frame's compressed size is near the percentage that was asked.
  private static final int CHUNK = 512;

  private Values() {}

  /**
   * The value of a key.
   *
   * @param length in bytes
   * @param compressiblePercent how many of its chunks of 512 bytes repeat one byte; the others are
   *     random
   */
  static ByteBuffer of(long key, int length, int compressiblePercent) {
    Random random = new Random(key * 0x9E3779B97F4A7C15L + length);
    byte[] value = new byte[length];
    byte[] noise = new byte[CHUNK];
    for (int at = 0; at < length; at += CHUNK) {
      int size = Math.min(CHUNK, length - at);
      if (random.nextInt(100) < compressiblePercent) {
        Arrays.fill(value, at, at + size, (byte) random.nextInt());
      } else {
        random.nextBytes(noise);
        System.arraycopy(noise, 0, value, at, size);
      }
    }
    return ByteBuffer.wrap(value);
  }
}
