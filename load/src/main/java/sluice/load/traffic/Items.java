package sluice.load.traffic;

import java.util.Random;

/** Keys of a load and their values. A key's value is derived from the key and never changes. */
public final class Items {
  private Items() {}

  /** The key of that number. */
  public static String key(int number) {
    return String.format("load:%08d", number);
  }

  /** The key's value, made of printable characters. */
  public static String value(int number, int length) {
    StringBuilder value = new StringBuilder(key(number)).append('=');
    Random noise = new Random(number * 7919L + length);
    while (value.length() < length) {
      value.append((char) ('!' + noise.nextInt(94)));
    }
    value.setLength(length);
    return value.toString();
  }
}
