package sluice.gateway.server.connection;

/**
 * Batch of requests that were put on a connection and not flushed, with the decision whether they
 * wait for more.
 */
final class Unflushed {
  private static final int MOST_TURNS = 16;

  /** Consecutive ones; an iteration without ready sockets takes half a microsecond. */
  private static final int MOST_EMPTY_TURNS = 2;

  private int requests;
  private int emptyTurns; // iterations since one brought a request
  private int counted; // number of requests at the end of the previous loop iteration

  void add() {
    requests++;
  }

  /**
   * Called once at the end of a loop iteration. The requests wait for some iterations, as long as
   * one in three brings more.
   *
   * @param turns iterations that they have waited
   */
  boolean waitForMore(int turns) {
    emptyTurns = requests > counted ? 0 : emptyTurns + 1;
    counted = requests;
    return emptyTurns <= MOST_EMPTY_TURNS && turns < MOST_TURNS;
  }

  /** They were flushed; returns how many they were. */
  int take() {
    int taken = requests;
    requests = 0;
    counted = 0;
    emptyTurns = 0;
    return taken;
  }
}
