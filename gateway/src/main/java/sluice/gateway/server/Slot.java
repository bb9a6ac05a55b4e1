package sluice.gateway.server;

/** What a connection is for: numbers from 0 are places among a server's shared connections. */
final class Slot {
  /** A connection to be lent. */
  static final int TO_LEND = -1;

  /** A connection that only asks whether an ejected server is back. */
  static final int TO_ASK = -2;

  /** A connection to be lent for a request that is here as a whole. */
  static final int TO_LEND_FOR_WHOLE = -3;

  private Slot() {}

  /** Whether a connection for this is one to lend. */
  static boolean isToLend(int slot) {
    return slot == TO_LEND || slot == TO_LEND_FOR_WHOLE;
  }
}
