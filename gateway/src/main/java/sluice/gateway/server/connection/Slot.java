package sluice.gateway.server.connection;

/** What a connection is for: numbers from 0 are places among a server's shared connections. */
public final class Slot {
  /** A connection to be lent. */
  public static final int TO_LEND = -1;

  /** A connection that only asks whether an ejected server is back. */
  public static final int TO_ASK = -2;

  /** A connection to be lent for a request that is here as a whole. */
  public static final int TO_LEND_FOR_WHOLE = -3;

  private Slot() {}

  /** Whether a connection for this is one to lend. */
  public static boolean isToLend(int slot) {
    return slot == TO_LEND || slot == TO_LEND_FOR_WHOLE;
  }
}
