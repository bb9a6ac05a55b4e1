package sluice.config.schema;

import java.util.List;
import sluice.config.model.LimitsConfig;

/** Text form of durations and sizes in the configuration file. */
public final class Notation {
  private Notation() {}

  /** A duration that may be {@link LimitsConfig#NEVER}. */
  public static String durationOrNever(long millis) {
    return millis == LimitsConfig.NEVER ? "never" : duration(millis);
  }

  /** A duration in the largest unit that divides it. */
  public static String duration(long millis) {
    if (millis == 0 || millis % 1_000 != 0) {
      return millis + "ms";
    }
    long seconds = millis / 1_000;
    if (seconds % 3_600 == 0) {
      return seconds / 3_600 + "h";
    }
    return seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
  }

  /** A size in the largest unit that divides it. */
  public static String size(long bytes) {
    int unit = bytes == 0 ? 0 : Math.min(30, Long.numberOfTrailingZeros(bytes) / 10 * 10);
    return (bytes >> unit) + List.of("B", "KiB", "MiB", "GiB").get(unit / 10);
  }
}
