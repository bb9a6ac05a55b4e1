package sluice.gateway.metrics;

import java.util.Locale;

/**
 * How a connection of a memcached client began: the {@code outcome} label of {@code
 * sluice_client_connections}.
 */
public enum ConnectionOutcome {
  /** The client was let in. */
  ACCEPTED,
  /** The listener has as many clients as it may have. */
  REFUSED,
  /** A trusted proxy sent no valid PROXY header, or not in time. */
  NO_PROXY_HEADER;

  static final int COUNT = values().length;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** As it is written in metrics. */
  public String label() {
    return label;
  }
}
