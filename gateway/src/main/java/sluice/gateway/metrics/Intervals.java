package sluice.gateway.metrics;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import sluice.names.Command;

/**
 * Differences between successive sums over the event loops' counters. Its quantiles are those of
 * one interval, unlike those of a scrape. Not thread-safe; one caller, one interval after another.
 */
public final class Intervals {
  private final List<LoopMetrics> loops;
  private final LongSupplier clock;
  private Totals before;
  private long takenAt;

  Intervals(List<LoopMetrics> loops, LongSupplier clock) {
    this.loops = loops;
    this.clock = clock;
    before = new Totals(loops);
    takenAt = clock.getAsLong();
  }

  /** What happened since the last call, or since this was created. */
  public Interval next() {
    Totals now = new Totals(loops);
    long at = clock.getAsLong();
    TimeSums gateway = now.gatewayLatency.since(before.gatewayLatency);
    TimeSums request = now.requestTime.since(before.requestTime);
    Interval interval =
        new Interval(
            (at - takenAt) / (double) TimeUnit.SECONDS.toNanos(1),
            now.requests - before.requests,
            now.errors - before.errors,
            now.misses - before.misses,
            now.bytesIn - before.bytesIn,
            now.bytesOut - before.bytesOut,
            gateway.quantileSeconds(0.5),
            gateway.quantileSeconds(0.99),
            request.quantileSeconds(0.5),
            request.quantileSeconds(0.99),
            now.inFlight,
            now.connections,
            now.bufferedBytes);
    before = now;
    takenAt = at;
    return interval;
  }

  /** Sums at one moment. */
  private static final class Totals {
    private final TimeSums gatewayLatency = new TimeSums();
    private final TimeSums requestTime = new TimeSums();
    private long requests;
    private long errors;
    private long misses;
    private long bytesIn;
    private long bytesOut;
    private long inFlight;
    private long connections;
    private long bufferedBytes;

    Totals(List<LoopMetrics> loops) {
      for (LoopMetrics loop : loops) {
        gatewayLatency.add(loop.gatewayLatency());
        bytesIn += loop.bytes(Direction.CLIENT_IN);
        bytesOut += loop.bytes(Direction.CLIENT_OUT);
        inFlight += loop.inFlight();
        bufferedBytes += loop.bufferedBytes();
        loop.listeners().values().forEach(this::add);
      }
    }

    private void add(ListenerMetrics listener) {
      requestTime.add(listener.requestTime());
      connections += listener.connections();
      long[] cells = new long[ListenerMetrics.REQUEST_CELLS];
      listener.addRequestsTo(cells);
      for (Command command : ListenerMetrics.COMMANDS) {
        for (Outcome outcome : Outcome.values()) {
          long count = cells[ListenerMetrics.cell(command, outcome)];
          requests += count;
          switch (outcome) {
            case ERROR, REJECTED, TIMEOUT, SERVER_DOWN, PROTOCOL_ERROR -> errors += count;
            case MISS -> misses += count;
            case OK, CLIENT_GONE -> {}
          }
        }
      }
    }
  }
}
