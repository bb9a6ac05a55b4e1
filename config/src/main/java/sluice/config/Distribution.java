package sluice.config;

/** How the hash of a key chooses a server. */
public enum Distribution implements Labelled {
  /** libmemcached's and twemproxy's weighted continuum. */
  KETAMA("ketama"),

  /** Jump consistent hashing: servers are numbered as listed, and best added at the end. */
  JUMP("jump"),

  /** Highest random weight. */
  RENDEZVOUS("rendezvous"),

  /** The hash modulo the number of servers. */
  MODULA("modula"),

  /** Maglev's lookup table. */
  MAGLEV("maglev"),

  /** mcrouter's Ch3: servers are numbered as listed, and best added at the end. */
  CH3("ch3");

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
