package sluice.names;

/** Method by which the hash of a key selects a server. */
public enum Distribution implements Labelled {
  /** twemproxy's weighted continuum. */
  KETAMA("ketama"),

  /** libmemcached's continuum: weighted as soon as one server has a weight. */
  KETAMA_LIBMEMCACHED("ketama_libmemcached"),

  /** libmemcached's continuum that is always weighted. */
  KETAMA_LIBMEMCACHED_WEIGHTED("ketama_libmemcached_weighted"),

  /**
   * Jump consistent hashing: servers are numbered as listed; new ones are best added at the end.
   */
  JUMP("jump"),

  /** Highest random weight. */
  RENDEZVOUS("rendezvous"),

  /** The hash modulo the number of servers, sorted as twemproxy sorts them. */
  MODULA("modula"),

  /** The hash modulo the number of servers, in the order in which they are listed. */
  MODULA_LIBMEMCACHED("modula_libmemcached"),

  /** Maglev's lookup table. */
  MAGLEV("maglev"),

  /** mcrouter's Ch3: servers are numbered as listed; new ones are best added at the end. */
  CH3("ch3"),

  /** The rendezvous hash of pymemcache's {@code HashClient}. */
  PYMEMCACHE("pymemcache"),

  /** The continuum of spymemcached's {@code KetamaNodeLocator}. */
  KETAMA_SPYMEMCACHED("ketama_spymemcached");

  /** The most servers of a pool with {@link #MAGLEV}: its larger table has 100 slots for each. */
  public static final int MOST_IN_MAGLEV = 6553;

  private final String label;

  Distribution(String label) {
    this.label = label;
  }

  /** As it is written in the configuration file. */
  @Override
  public String label() {
    return label;
  }
}
