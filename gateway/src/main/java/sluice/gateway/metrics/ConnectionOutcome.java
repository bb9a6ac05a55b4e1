package sluice.gateway.metrics;

import java.util.Locale;

/**
 * Outcome of a memcached client's connection attempt: the {@code outcome} label of {@code
 * sluice_client_connections}.
 */
public enum ConnectionOutcome {
  /** The client was accepted. */
  ACCEPTED,
  /** The listener has the most clients that it may have. */
  REFUSED,
  /** A trusted proxy sent no valid PROXY header in time. */
  NO_PROXY_HEADER;

  static final int COUNT = values().length;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** As it is written in metrics. */
  public String label() {
    return label;
  }
}
