package sluice.gateway.metrics;

import java.util.Locale;

/**
 * Outcome of a link's handshake: the {@code outcome} label of {@code sluice_internode_handshakes}.
 */
public enum LinkOutcome {
  /** Both halves of the handshake arrived in time. */
  OK,
  /** The listener has the most links that it may have. */
  REFUSED,
  /** The initiator's bytes begin no link, or TLS with it failed. */
  INVALID,
  /** The initiator sent no complete message in time, or left before. */
  NO_INITIATE,
  /** The initiator left, or its socket was aborted, before the server had answered. */
  LEFT,
  /** The server could not be reached. */
  UNREACHABLE,
  /** The server sent no valid answer in time, or closed. */
  NO_ACCEPT,
  /** As OK, but the version of the messages that follow is unknown. */
  UNKNOWN_PASSED,
  /** The link was refused because its messages cannot be inspected. */
  UNKNOWN_REFUSED;

  static final int COUNT = values().length;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** As it is written in metrics. */
  public String label() {
    return label;
  }
}
