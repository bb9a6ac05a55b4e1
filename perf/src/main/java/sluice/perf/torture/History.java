package sluice.perf.torture;

import java.util.ArrayList;
import java.util.List;

/** Which settings the gateway can have followed, and when. For all threads. */
final class History {
  private static final class Period {
    final Setting setting;
    final long fromNanos;
    volatile long toNanos = Long.MAX_VALUE;

    Period(Setting setting, long fromNanos) {
      this.setting = setting;
      this.fromNanos = fromNanos;
    }
  }

  private final long begin = System.nanoTime();
  private final List<Period> periods = new ArrayList<>();

  /** From now on the gateway may follow this one. */
  synchronized void mayFollow(Setting setting) {
    periods.add(new Period(setting, System.nanoTime() - begin));
  }

  /**
   * The gateway has taken over the last one. What it had begun before may end on the others, until
   * so much later.
   */
  synchronized void follows(long graceNanos) {
    long now = System.nanoTime() - begin;
    for (int i = 0; i < periods.size() - 1; i++) {
      Period period = periods.get(i);
      period.toNanos = Math.min(period.toNanos, now + graceNanos);
    }
    // Requests that began in it are answered by now.
    periods.removeIf(period -> period.toNanos < now - 10 * graceNanos);
  }

  /** The settings that a request can have met between the two times; the latest first. */
  synchronized List<Setting> between(long fromNanos, long toNanos) {
    List<Setting> settings = new ArrayList<>(2);
    for (int i = periods.size() - 1; i >= 0; i--) {
      Period period = periods.get(i);
      if (period.fromNanos <= toNanos - begin && period.toNanos >= fromNanos - begin) {
        settings.add(period.setting);
      }
    }
    return settings;
  }

  /** The last one. */
  synchronized Setting last() {
    return periods.get(periods.size() - 1).setting;
  }
}
