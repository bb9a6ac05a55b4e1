package sluice.perf;

import io.netty.channel.EventLoop;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import sluice.load.traffic.LoadRun;

/**
 * Load in an open loop: requests are sent when they are due, at a constant rate, over all
 * connections in turn, whether or not earlier ones were answered. How long one took counts from
 * when it was due, so a reply that holds up others counts for each of them.
 *
 * <p>It never sleeps: a timer of the kernel would be late by as much as what is measured.
 */
final class SpinningPacer implements Runnable {
  private static final long ANSWERED_WITHIN = TimeUnit.SECONDS.toNanos(10);
  private static final double MICROS = 1e3;

  private final EventLoop loop;
  private final List<LoadConnection> connections;
  private final LoadRun run;
  private final double interval; // nanoseconds
  private final long begin;
  private final long end;
  private final Histogram latencies = new Histogram(3);
  private final Histogram lags = new Histogram(3);
  private long sent;

  /**
   * Of connections that all live on this loop.
   *
   * @param perSecond requests due in a second
   */
  SpinningPacer(
      EventLoop loop,
      List<LoadConnection> connections,
      LoadRun run,
      double perSecond,
      double seconds) {
    this.loop = loop;
    this.connections = connections;
    this.run = run;
    this.interval = 1e9 / perSecond;
    this.begin = System.nanoTime();
    this.end = begin + (long) (seconds * 1e9);
  }

  /** Sends until the time is over and all is answered. */
  void drive() throws InterruptedException {
    run.begin(1);
    loop.execute(
        () -> {
          connections.forEach(connection -> connection.pace(latencies));
          run();
        });
    run.await();
  }

  @Override
  public void run() {
    if (run.failure() != null) {
      return;
    }
    long now = System.nanoTime();
    long due = begin + (long) (sent * interval);
    while (due <= now && due < end) {
      connections.get((int) (sent % connections.size())).send(due);
      lags.recordValue(now - due);
      sent++;
      due = begin + (long) (sent * interval);
    }
    if (due < end || connections.stream().anyMatch(each -> each.onTheirWay() > 0)) {
      if (now - end > ANSWERED_WITHIN) {
        run.fail("not all requests were answered within 10 s of the last");
      }
      again();
    } else {
      run.done();
    }
  }

  /** Not at once: the loop would go on with its tasks for long before it looked at its sockets. */
  @SuppressWarnings("FutureReturnValueIgnored") // run fails the load itself
  private void again() {
    loop.schedule(this, 0, TimeUnit.NANOSECONDS);
  }

  /**
   * {@code p50_us= p99_us= p999_us= most_us= late_p99_us= late_most_us=}: from when a request was
   * due to its whole reply, and to when it was sent.
   */
  String latency() {
    return String.format(
        Locale.ROOT,
        "p50_us=%.1f p99_us=%.1f p999_us=%.1f most_us=%.1f late_p99_us=%.1f late_most_us=%.1f",
        latencies.getValueAtPercentile(50) / MICROS,
        latencies.getValueAtPercentile(99) / MICROS,
        latencies.getValueAtPercentile(99.9) / MICROS,
        latencies.getMaxValue() / MICROS,
        lags.getValueAtPercentile(99) / MICROS,
        lags.getMaxValue() / MICROS);
  }
}
