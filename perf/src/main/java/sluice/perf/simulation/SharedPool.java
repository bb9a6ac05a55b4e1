package sluice.perf.simulation;

/** Pool to each of whose servers a gateway has one connection, which all event loops share. */
final class SharedPool {
  /** What its keys begin with. */
  static final String PREFIX = "one:";

  private SharedPool() {}

  /** Its part of a route. */
  static String rule() {
    return "    - {match: {prefix: \"" + PREFIX + "\"}, pool: one}\n";
  }

  /**
   * Its part of a configuration.
   *
   * @param more further lines
   */
  static String yaml(String source, String more) {
    return """
      one:
        %s
        timeout: 3s
        connections: {max: 1, connectTimeout: 1s}%s
        retries: {max: 2}
    """
        .formatted(source, more);
  }
}
