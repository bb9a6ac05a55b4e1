package sluice.gateway.differential;

/**
 * What a client speaks and what is behind the gateway.
 *
 * @param dialect the pool's {@code dialect}
 * @param servers how many share the keys
 * @param more further keys of the pool, or what the rule says of large values, as YAML
 */
record Pair(Dialect client, String dialect, int servers, String more) {
  /** The longest value, in bytes, that a pair with chunks stores whole. */
  static final int CHUNK = 1024;

  private static final String SPLIT = ", split: 1KiB";

  /** One server that is spoken to as the client speaks. */
  static Pair same(Dialect client) {
    return new Pair(client, "same", 1, "");
  }

  Pair servers(int count) {
    return new Pair(client, dialect, count, more);
  }

  /** Whether the servers hold what clients store; else read it through {@link Arena#readable}. */
  boolean keepsValues() {
    return more.isEmpty() || isShared();
  }

  /** Whether event loops share the connections to the servers. */
  boolean isShared() {
    return more.contains(DifferentialTest.SHARED);
  }

  /** Whether the pool compresses values, and so keeps flags of its own. */
  boolean isCompressed() {
    return !pool().isEmpty() && !isShared();
  }

  /** The same with values of more than 1 KiB in pieces. */
  Pair split() {
    return new Pair(client, dialect, servers, SPLIT);
  }

  /** Further keys of the rule. */
  String rule() {
    return more.equals(SPLIT) ? more : "";
  }

  /** Further keys of the pool. */
  String pool() {
    return more.equals(SPLIT) ? "" : more;
  }

  Pair with(String yaml) {
    return new Pair(client, dialect, servers, more + ", " + yaml);
  }

  @Override
  public String toString() {
    return client
        + " to "
        + dialect
        + (servers > 1 ? ", " + servers + " servers" : "")
        + (more.isEmpty() ? "" : more);
  }
}
