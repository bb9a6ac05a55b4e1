package sluice.config.model;

/** Text form of durations in sentences for people: in logs, reasons and explanations. */
public final class DurationText {
  private static final long SECOND = 1_000;
  private static final long MINUTE = 60 * SECOND;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;

  private DurationText() {}

  /**
   * A duration in milliseconds, seconds, minutes, hours or days: the largest unit that expresses it
   * exactly. A unit above seconds is used for two or more of it: {@code 60 s}, but {@code 2 min}.
   */
  public static String of(long millis) {
    if (isIn(DAY, millis)) {
      return millis / DAY + " days";
    }
    if (isIn(HOUR, millis)) {
      return millis / HOUR + " h";
    }
    if (isIn(MINUTE, millis)) {
      return millis / MINUTE + " min";
    }
    return millis % SECOND == 0 ? millis / SECOND + " s" : millis + " ms";
  }

  private static boolean isIn(long unit, long millis) {
    return millis >= 2 * unit && millis % unit == 0;
  }
}
