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
  PARSED(1 << 4),
  /** Its rule and its server key are known. */
  ROUTED(1),
  /** Its rule and the limits permit sending it. */
  ADMITTED(1 | 1 << 1),
  /** As ADMITTED, but its client is paused until the missing connection or reply is there. */
  WAITING(1 << 2 | 1 << 3),
  /** It is handed over, or answered. */
  SENT(1 | 1 << 1 | 1 << 2 | 1 << 3);

  private final int predecessors; // a bit for the ordinal of each

  RequestPhase(int predecessors) {
    this.predecessors = predecessors;
  }

  /** Whether this phase may follow {@code before}. */
  public boolean follows(RequestPhase before) {
    return (predecessors >> before.ordinal() & 1) != 0;
  }

  /** The next phase. An impossible one is an error in this program, and throws. */
  public RequestPhase to(RequestPhase next) {
    if (!next.follows(this)) {
      throw new IllegalStateException("a request that is " + this + " cannot become " + next);
    }
    return next;
  }
}
