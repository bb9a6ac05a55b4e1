package sluice.gateway.metrics;

import java.util.Locale;

/** How a link began: the {@code outcome} label of {@code sluice_internode_handshakes}. */
public enum LinkOutcome {
  /** Both halves of the handshake were there in time. */
  OK,
  /** The listener has as many links as it may have. */
  REFUSED,
  /** What the initiator sent begins no link, or TLS with it failed. */
  INVALID,
  /** The initiator did not say in time what it wants, or left before. */
  NO_INITIATE,
  /** The server could not be reached. */
  UNREACHABLE,
  /** The server did not answer in time, or closed, or answered what is no answer. */
  NO_ACCEPT,
  /** As OK, but nobody here knows the version of what follows. */
  UNKNOWN_PASSED,
  /** It was refused because nobody here can look into what follows. */
  UNKNOWN_REFUSED;

  static final int COUNT = values().length;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** As it is written in metrics. */
  public String label() {
    return label;
  }
}
