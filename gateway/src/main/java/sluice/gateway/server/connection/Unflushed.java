package sluice.gateway.server.connection;

/**
 * Requests that were put on a connection and have not been flushed, and whether they wait for more:
 * together they leave in one write.
 */
final class Unflushed {
  private static final int MOST_TURNS = 16;

  /** One after the other; to look at no sockets takes half a microsecond. */
  private static final int MOST_EMPTY_TURNS = 2;

  private int requests;
  private int emptyTurns; // since one brought a request
  private int counted; // of the requests, at the end of the turn before

  void add() {
    requests++;
  }

  /**
   * Asked at the end of a turn, once: as long as a turn in three brings more requests, they wait,
   * for some turns.
   *
   * @param turns that they have waited
   */
  boolean waitForMore(int turns) {
    emptyTurns = requests > counted ? 0 : emptyTurns + 1;
    counted = requests;
    return emptyTurns <= MOST_EMPTY_TURNS && turns < MOST_TURNS;
  }

  /** They have been flushed; says how many they were. */
  int take() {
    int taken = requests;
    requests = 0;
    counted = 0;
    emptyTurns = 0;
    return taken;
  }
}
