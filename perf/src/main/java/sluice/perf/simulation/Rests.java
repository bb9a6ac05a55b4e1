package sluice.perf.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Times in which clients and nodes send nothing, in a long simulation.
 *
 * <p>What only time brings about happens in them: idle connections end, keep-alives are due, items
 * expire, event loops are swept less often. A minute of rest costs a simulation little, so that ten
 * minutes with rests take about as long as half a minute without.
 */
final class Rests {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  /** Simulations up to this length have none. */
  private static final long SHORT_SECONDS = 120;

  /** One long simulation of so many has no rests. It costs as much as thirty others. */
  private static final int RESTLESS = 1_000;

  /** The longest rest of a simulation is at least as long. */
  private static final long LEAST_LONGEST = 60 * SECOND;

  private static final long MOST_LONGEST = 180 * SECOND;

  /** After a rest, most clients begin within this time. */
  private static final long RUSH_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private record Rest(long from, long until) {}

  private final RandomGenerator random;
  private final List<Rest> rests = new ArrayList<>();

  /** The rests of a simulation of that many seconds. */
  Rests(RandomGenerator random, long seconds) {
    this.random = random;
    if (seconds <= SHORT_SECONDS || random.nextInt(RESTLESS) == 0) {
      return;
    }
    long end = seconds * SECOND;
    long longest = random.nextLong(LEAST_LONGEST, MOST_LONGEST);
    long now = random.nextLong(SECOND, 2 * SECOND);
    while (now < end) {
      long until = Math.min(end, now + random.nextLong(2 * SECOND, longest));
      rests.add(new Rest(now, until));
      now = until + random.nextLong(SECOND / 10, 3 * SECOND / 5);
    }
  }

  /** Whether a simulation of that many seconds may have some. */
  static boolean isLong(long seconds) {
    return seconds > SHORT_SECONDS;
  }

  /** The time, or one shortly after the rest that it is in. */
  long after(long time) {
    for (Rest rest : rests) {
      if (time < rest.from) {
        return time;
      }
      if (time < rest.until) {
        return rest.until + random.nextLong(random.nextInt(4) == 0 ? SECOND : RUSH_NANOS);
      }
    }
    return time;
  }

  /** The time, or one while clients send after the rest that it is in. */
  long whileClientsSend(long time) {
    for (Rest rest : rests) {
      if (time >= rest.from && time < rest.until) {
        return rest.until + random.nextLong(2 * SECOND);
      }
    }
    return time;
  }
}
