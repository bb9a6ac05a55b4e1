package sluice.gateway.differential;

import java.util.List;
import java.util.Random;

/** Random choices that a seed decides. */
final class Dice {
  private static final int GATHERED = 65_536;
  private static final int HELD = 32_768;
  private static final int ITEM = 1024 * 1024;

  private final Random random;

  Dice(long seed) {
    random = new Random(seed);
  }

  int below(int bound) {
    return random.nextInt(bound);
  }

  long number() {
    return random.nextLong();
  }

  boolean oneIn(int count) {
    return random.nextInt(count) == 0;
  }

  <T> T any(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  /** Mostly short ones; some about the sizes at which the gateway does something else. */
  Value value() {
    int kind = below(1000);
    if (kind < 250) {
      return Value.of(any(NUMBERS));
    }
    int length;
    if (kind < 300) {
      length = 0;
    } else if (kind < 800) {
      length = below(100);
    } else if (kind < 950) {
      length = below(2_000);
    } else if (kind < 985) {
      length = below(16_000);
    } else if (kind < 994) {
      length = (oneIn(2) ? HELD : GATHERED) - 100 + below(200);
    } else if (kind < 999) {
      length = GATHERED + below(150_000);
    } else {
      length = ITEM - 200 + below(300);
    }
    Value value = Value.noise(length, number() >>> 1);
    return value.isBlank() ? Value.of("x") : value;
  }

  /** One that a server finds too large, though it is not over the limit of the listener. */
  Value tooLarge() {
    return Value.noise(ITEM - below(60), number() >>> 1);
  }

  private static final List<String> NUMBERS =
      List.of(
          "0",
          "1",
          "9",
          "10",
          "41",
          "99",
          "1000",
          "00012",
          "12 ",
          " 7",
          "-1",
          "12abc",
          "99999999999",
          "9000000000000000000",
          "18446744073709551616");
}
