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
  PARSED(0b00001, 0b10000),
  /** Its rule and its server key are known. */
  ROUTED(0b00010, 0b00001),
  /** Its rule and the limits permit sending it. */
  ADMITTED(0b00100, 0b00011),
  /** As ADMITTED, but its client is paused until the missing connection or reply is there. */
  WAITING(0b01000, 0b01100),
  /** It is handed over, or answered. */
  SENT(0b10000, 0b01111);

  private final int bit;
  private final int predecessors; // their bits

  RequestPhase(int bit, int predecessors) {
    this.bit = bit;
    this.predecessors = predecessors;
  }

  /** Whether this phase may follow {@code before}. */
  public boolean follows(RequestPhase before) {
    return (predecessors & before.bit) != 0;
  }

  /** The next phase. An impossible one is an internal error, and throws. */
  public RequestPhase to(RequestPhase next) {
    if (!next.follows(this)) {
      throw new IllegalStateException("a request that is " + this + " cannot become " + next);
    }
    return next;
  }
}
