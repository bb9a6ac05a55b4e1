package sluice.load;

import sluice.load.traffic.LoadRun;

/**
 * Where one load goes, connected. Everything but opening and closing happens on the load's event
 * loop.
 */
interface Target extends AutoCloseable {
  /** Requests that are on their way at most: what lies behind it is not taken any more. */
  int MOST_OUTSTANDING = 1 << 14;

  /** Begins a phase: who counts what is answered from now on. */
  void begin(Tally tally, boolean saturate);

  /** Adds a request that is to be sent at that time; it may wait for {@link #flush}. */
  void send(long intendedNanos);

  /** Sends what was added. */
  void flush();

  /** Fills every connection's window; each answer makes room for another request. */
  void saturate();

  /** No request is made by answers any more. */
  void calm();

  /** Requests that are not answered. */
  long outstanding();

  /** What is wrong once all should have been answered; null if nothing is. */
  String missing();

  /** The run that knows what went wrong. */
  LoadRun run();

  @Override
  void close();
}
