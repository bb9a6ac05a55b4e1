package sluice.gateway.values;

import java.util.Random;

/** Values that nothing makes smaller. */
final class Noise {
  private Noise() {}

  /** So many characters of ISO 8859-1, any of them; always the same of one length. */
  static String noise(int length) {
    return noise(length, length);
  }

  /** As {@link #noise(int)}; others for another seed. */
  static String noise(int seed, int length) {
    Random random = new Random(seed);
    StringBuilder noise = new StringBuilder(length);
    while (noise.length() < length) {
      noise.append((char) random.nextInt(256));
    }
    return noise.toString();
  }
}
