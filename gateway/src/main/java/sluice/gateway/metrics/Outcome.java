package sluice.gateway.metrics;

import java.util.Locale;

/** How a client's request ended: the {@code outcome} label of {@code sluice_requests_total}. */
public enum Outcome {
  /** Answered, and not with a miss or an error. */
  OK,
  /** Answered with a miss: the key was not there, or not in the state the command asked for. */
  MISS,
  /** Answered with the server's own error reply. */
  ERROR,
  /** Refused by the gateway: over a limit, not allowed, or a rule's {@code reject}. */
  REJECTED,
  /** No reply within the pool's timeout. */
  TIMEOUT,
  /** No usable server, or its connection went away before the reply came. */
  SERVER_DOWN,
  /** The client left before its reply could be given to it. */
  CLIENT_GONE,
  /** The request was malformed, or its reply broke the protocol. */
  PROTOCOL_ERROR;

  static final int COUNT = values().length;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** As it is written in metrics. */
  public String label() {
    return label;
  }
}
