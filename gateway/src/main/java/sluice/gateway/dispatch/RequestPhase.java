package sluice.gateway.dispatch;

/**
 * The stages of a client's request from its bytes to its server.
 *
 * <pre>
 *   PARSED ──> ROUTED ──> ADMITTED ──> SENT
 *      │                   ^   │        ^
 *      └─ without a key ───┘   └─> WAITING
 * </pre>
 *
 * <p>A request that is answered without a server is SENT from wherever it is.
 */
public enum RequestPhase {
  /** What its client wrote is read. */
  PARSED,
  /** Its rule is known, and its key as the servers know it. */
  ROUTED,
  /** It may be sent: its rule and their limits let it pass. */
  ADMITTED,
  /** As ADMITTED, but its client is paused until what it needs is there. */
  WAITING,
  /** It is handed over, or answered. */
  SENT;

  /** Whether this may come behind {@code before}. */
  public boolean follows(RequestPhase before) {
    return switch (this) {
      case PARSED -> before == SENT;
      case ROUTED -> before == PARSED;
      case ADMITTED -> before == PARSED || before == ROUTED;
      case WAITING -> before == ADMITTED || before == WAITING;
      case SENT -> before != SENT;
    };
  }

  /** The phase behind this one. Throws if it cannot be: an error in this program. */
  public RequestPhase to(RequestPhase next) {
    if (!next.follows(this)) {
      throw new IllegalStateException("a request that is " + this + " cannot become " + next);
    }
    return next;
  }
}
