package sluice.gateway.server.connection;

/** Purpose of a connection: numbers from 0 are slots of a server's shared connections. */
public final class Slot {
  /** An exclusive connection. */
  public static final int EXCLUSIVE = -1;

  /** A connection that only probes an ejected server. */
  public static final int TO_ASK = -2;

  /** An exclusive connection for a request that has arrived completely. */
  public static final int EXCLUSIVE_FOR_WHOLE = -3;

  private Slot() {}

  /** Whether a connection for this purpose is exclusive. */
  public static boolean isExclusive(int slot) {
    return slot == EXCLUSIVE || slot == EXCLUSIVE_FOR_WHOLE;
  }
}
