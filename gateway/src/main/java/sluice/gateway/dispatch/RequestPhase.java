package sluice.gateway.dispatch;

/**
 * Phase of a client's request on its way to a server.
 *
 * <pre>
 *   PARSED ──> ROUTED ──> ADMITTED ──> SENT
 *      │                   ^   │        ^
 *      └─ without a key ───┘   └─> WAITING
 * </pre>
 *
 * <p>A request that is answered without a server becomes SENT from any phase.
 */
public enum RequestPhase {
  /** The client's bytes are parsed. */
  PARSED,
  /** Its rule and its server key are known. */
  ROUTED,
  /** Its rule and the limits permit sending it. */
  ADMITTED,
  /** As ADMITTED, but its client is paused until the missing connection or reply is there. */
  WAITING,
  /** It is handed over, or answered. */
  SENT;

  /** Whether this phase may follow {@code before}. */
  public boolean follows(RequestPhase before) {
    return switch (this) {
      case PARSED -> before == SENT;
      case ROUTED -> before == PARSED;
      case ADMITTED -> before == PARSED || before == ROUTED;
      case WAITING -> before == ADMITTED || before == WAITING;
      case SENT -> before != SENT;
    };
  }

  /** The next phase. An impossible one is an error in this program, and throws. */
  public RequestPhase to(RequestPhase next) {
    if (!next.follows(this)) {
      throw new IllegalStateException("a request that is " + this + " cannot become " + next);
    }
    return next;
  }
}
