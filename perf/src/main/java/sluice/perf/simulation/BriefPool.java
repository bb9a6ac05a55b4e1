package sluice.perf.simulation;

import java.util.concurrent.TimeUnit;

/**
 * Pool whose connections gateways close when they have been idle for a moment. Event loops share
 * them: only another loop's request can come between the decision to close one and its end.
 */
final class BriefPool {
  /** What its keys begin with. */
  static final String PREFIX = "brief:";

  /** A connection is closed after that time. It need not be checked before: that takes a second. */
  static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

  private BriefPool() {}

  /** Its part of a route. */
  static String rule() {
    return "    - {match: {prefix: \"" + PREFIX + "\"}, pool: brief}\n";
  }

  /**
   * Its part of a configuration.
   *
   * @param more further lines
   */
  static String yaml(String source, String dialect, int most, String more) {
    long idle = TimeUnit.NANOSECONDS.toMillis(IDLE_NANOS);
    return """
      brief:
        %s
        dialect: %s
        timeout: 3s
        connections: {max: %d, connectTimeout: 1s, idle: %dms}%s
    """
        .formatted(source, dialect, most, idle, more);
  }
}
