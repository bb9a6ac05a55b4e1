package sluice.embedded;

/** Counters of the store, under memcached's names ({@code stats}). */
enum Counter {
  CMD_GET,
  CMD_SET,
  CMD_FLUSH,
  CMD_TOUCH,
  CMD_META,
  GET_HITS,
  GET_MISSES,
  GET_EXPIRED,
  GET_FLUSHED,
  DELETE_MISSES,
  DELETE_HITS,
  INCR_MISSES,
  INCR_HITS,
  DECR_MISSES,
  DECR_HITS,
  CAS_MISSES,
  CAS_HITS,
  CAS_BADVAL,
  TOUCH_HITS,
  TOUCH_MISSES,
  STORE_TOO_LARGE,
  STORE_NO_MEMORY,
  TOTAL_ITEMS,
  EXPIRED_UNFETCHED,
  EVICTED_UNFETCHED,
  EVICTIONS,
  RECLAIMED,
  CRAWLER_RECLAIMED,
  CRAWLER_ITEMS_CHECKED;

  private static final Counter[] ALL = values();

  private final String label = name().toLowerCase(java.util.Locale.ROOT);

  /** Its name in {@code stats}. */
  String label() {
    return label;
  }

  /** Its index in an array of all counters, from 0. */
  @SuppressWarnings("EnumOrdinal") // nothing outlives the process that depends on the order
  int index() {
    return ordinal();
  }

  /** Number of counters. */
  static int count() {
    return ALL.length;
  }
}
