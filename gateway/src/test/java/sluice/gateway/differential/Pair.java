package sluice.gateway.differential;

/**
 * What a client speaks and what is behind the gateway.
 *
 * @param dialect the pool's {@code dialect}
 * @param servers how many share the keys
 * @param more further keys of the pool, as YAML
 */
record Pair(Dialect client, String dialect, int servers, String more) {

  /** One server that is spoken to as the client speaks. */
  static Pair same(Dialect client) {
    return new Pair(client, "same", 1, "");
  }

  Pair servers(int count) {
    return new Pair(client, dialect, count, more);
  }

  /** Whether the servers hold what clients store; else read it through {@link Arena#readable}. */
  boolean keepsValues() {
    return more.isEmpty();
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
