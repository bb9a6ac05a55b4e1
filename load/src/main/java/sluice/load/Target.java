package sluice.load;

import org.jspecify.annotations.Nullable;
import sluice.load.traffic.LoadRun;

/**
 * Destination of one load, connected. Everything but opening and closing happens on the load's
 * event loop.
 */
interface Target extends AutoCloseable {
  /** The most requests in flight; more are not accepted. */
  int MOST_OUTSTANDING = 1 << 14;

  /** Begins a phase: tally counts the replies from now on. */
  void begin(Tally tally, boolean saturate);

  /** Adds a request with its intended sending time; it may wait for {@link #flush}. */
  void send(long intendedNanos);

  /** Sends the added requests. */
  void flush();

  /** Fills every connection's window; each reply makes room for another request. */
  void saturate();

  /** Stops sending requests in response to replies. */
  void calm();

  /** Number of requests without a reply. */
  long outstanding();

  /** A description of missing replies once all should have arrived; null if there are none. */
  @Nullable String missing();

  /** The run, which records failures. */
  LoadRun run();

  @Override
  void close();
}
