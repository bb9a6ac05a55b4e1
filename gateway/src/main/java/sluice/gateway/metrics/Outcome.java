package sluice.gateway.metrics;

import java.util.Locale;

/** Outcome of a client's request: the {@code outcome} label of {@code sluice_requests_total}. */
public enum Outcome {
  /** Answered without a miss or an error. */
  OK,
  /** Answered with a miss: the key was not there, or not in the state the command asked for. */
  MISS,
  /** Answered with the server's own error reply. */
  ERROR,
  /** Refused by the gateway: over a limit, not allowed, or a rule's {@code reject}. */
  REJECTED,
  /** No reply within the pool's timeout. */
  TIMEOUT,
  /** No usable server, or its connection was lost, or its reply broke the protocol. */
  SERVER_DOWN,
  /** The client left before its reply could be written. */
  CLIENT_GONE,
  /** The request was malformed. */
  PROTOCOL_ERROR;

  static final int COUNT = values().length;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** As it is written in metrics. */
  public String label() {
    return label;
  }
}
