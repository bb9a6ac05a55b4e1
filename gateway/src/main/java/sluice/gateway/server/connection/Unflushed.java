package sluice.gateway.server.connection;

/**
 * Batch of requests that were put on a connection and not flushed, with the decision whether they
 * wait for more.
 */
final class Unflushed {
  private static final int MOST_ITERATIONS = 16;

  /** Consecutive ones; an iteration without ready sockets takes half a microsecond. */
  private static final int MOST_EMPTY_ITERATIONS = 2;

  private int requests;
  private int unsent; // the last of them, none of whose bytes was flushed
  private boolean leavesEarly; // what was written may leave before it is flushed
  private int emptyIterations; // iterations since one brought a request
  private int counted; // number of requests at the end of the previous loop iteration

  void add() {
    requests++;
    unsent += leavesEarly ? 0 : 1;
  }

  /**
   * From now on no request counts as unsent: TLS may send what was written before it is flushed,
   * when it reads a session ticket, say.
   */
  void mayLeaveEarly() {
    leavesEarly = true;
    unsent = 0;
  }

  /** Many bytes were flushed before the end of the loop iteration. */
  void flushedEarly() {
    unsent = 0;
  }

  /** Number of requests that the server cannot have seen: not a byte of them was flushed. */
  int unsent() {
    return unsent;
  }

  /**
   * Called once at the end of a loop iteration. The requests wait for some iterations, as long as
   * one in three brings more.
   *
   * @param iterations that they have waited
   */
  boolean waitForMore(int iterations) {
    emptyIterations = requests > counted ? 0 : emptyIterations + 1;
    counted = requests;
    return emptyIterations <= MOST_EMPTY_ITERATIONS && iterations < MOST_ITERATIONS;
  }

  /** They were flushed; returns how many they were. */
  int take() {
    int taken = requests;
    requests = 0;
    unsent = 0;
    counted = 0;
    emptyIterations = 0;
    return taken;
  }
}
