package sluice.names;

/**
 * Operation of a request, across the dialects: the {@code command} label of metrics and the names
 * in a route's {@code match: {commands}}.
 */
public enum Command implements Labelled {
  GET,
  GETS,
  GAT,
  GATS,
  SET,
  ADD,
  REPLACE,
  APPEND,
  PREPEND,
  CAS,
  DELETE,
  INCR,
  DECR,
  TOUCH,
  MG,
  MS,
  MD,
  MA,
  MN,
  ME,
  NOOP,
  FLUSH_ALL,
  VERBOSITY,
  VERSION,
  STATS,
  CACHE_MEMLIMIT,
  SLABS,
  LRU,
  LRU_CRAWLER,
  EXTSTORE,
  REFRESH_CERTS,
  WATCH,
  SHUTDOWN,
  DEBUG,
  QUIT,
  SASL,
  UNKNOWN;

  private final String label = name().toLowerCase(java.util.Locale.ROOT);

  /** Its name in the text protocol, in the configuration and in metrics. */
  @Override
  public String label() {
    return label;
  }

  /**
   * Whether a rule can match it. Fences (noop, mn) follow the requests before them, and no route
   * sees commands that end or authenticate a connection.
   */
  public boolean isRouted() {
    return switch (this) {
      case MN, NOOP, QUIT, SASL, UNKNOWN -> false;
      default -> true;
    };
  }

  /** Whether a request has a key, which decides on its server. */
  public boolean hasKey() {
    return switch (this) {
      case GET, GETS, GAT, GATS, SET, ADD, REPLACE, APPEND, PREPEND, CAS, DELETE -> true;
      case INCR, DECR, TOUCH, MG, MS, MD, MA, ME -> true;
      default -> false;
    };
  }

  /** Whether it is a meta command with a key: only such commands have tokens for proxies. */
  public boolean takesTokens() {
    return switch (this) {
      case MG, MS, MD, MA -> true;
      default -> false;
    };
  }

  /** Whether it is a classic or binary read of values. */
  public boolean isRead() {
    return switch (this) {
      case GET, GETS, GAT, GATS -> true;
      default -> false;
    };
  }

  /** Whether it changes items. An mg may do so, too, but its name does not say that. */
  public boolean changesItems() {
    return switch (this) {
      case SET, ADD, REPLACE, APPEND, PREPEND, CAS, DELETE, INCR, DECR, TOUCH, GAT, GATS -> true;
      case MS, MD, MA, FLUSH_ALL -> true;
      default -> false;
    };
  }
}
