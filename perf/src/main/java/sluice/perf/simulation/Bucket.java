package sluice.perf.simulation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What one gateway has let pass of a {@link Limit}, and whether its token bucket allows that.
 *
 * <p>A request is decided at some time between its begin and its reply. It must have passed at a
 * time at which the bucket can have had enough, and have been rejected at one at which the bucket
 * can have had too little.
 */
final class Bucket {
  private static final double SECOND = TimeUnit.SECONDS.toNanos(1);

  /** A gateway counts in fractions of nanoseconds. */
  private static final double ERROR = 1e-6;

  /**
   * Requests are judged one by one together with those of so many seconds before them. What the
   * bucket may have lacked before that is one number.
   */
  private static final double REMEMBERED_SECONDS = 60;

  /** A read of more than so many times what the bucket holds is always rejected. */
  private static final int MOST_BURSTS = 10;

  /** What a gateway passes on may arrive at the next one until so much later. */
  private static final long RELAYED_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** What a request needs. */
  static final class Taking {
    private final Object client;
    private final int requests;
    private final boolean relayed; // another gateway passes it on
    private final long began;
    private long ended = Long.MAX_VALUE; // when it was decided at the latest
    private boolean passed; // that is certain
    private boolean over; // of a gateway that does not run any more
    private boolean unsure; // of that one, or of the next

    private Taking(Object client, int requests, boolean relayed, long began) {
      this.client = client;
      this.requests = requests;
      this.relayed = relayed;
      this.began = began;
    }
  }

  private final Limit limit;
  private final List<Taking> takings = new ArrayList<>(); // those that may have passed, by begin
  private double carried; // what it lacked at most behind those that are forgotten
  private long carriedAt;
  private long rejected; // requests, by this gateway
  private long unknown; // requests that may have been, too

  /** A full bucket. */
  Bucket(Limit limit) {
    this.limit = limit;
  }

  Limit limit() {
    return limit;
  }

  /** The gateway starts: its bucket is full. It may get requests that wait in another gateway. */
  void restart(long now) {
    rejected = 0;
    unknown = 0;
    carried = 0;
    for (Taking taking : List.copyOf(takings)) {
      if (taking.relayed && taking.ended > now) {
        taking.unsure = true;
        unknown += taking.ended < Long.MAX_VALUE ? taking.requests : 0;
      } else {
        taking.over = true;
        takings.remove(taking);
      }
    }
  }

  /**
   * A client sends a request.
   *
   * @param client whose requests are decided one after the other
   * @param requests for which it counts
   * @param relayed whether another gateway passes it on
   */
  Taking begins(Object client, int requests, boolean relayed, long now) {
    long before = now - (long) (REMEMBERED_SECONDS * SECOND);
    forget(before);
    Taking taking = new Taking(client, requests, relayed, now);
    takings.add(taking);
    return taking;
  }

  private void forget(long before) {
    List<Taking> old = new ArrayList<>(takings);
    old.removeIf(taking -> taking.ended >= before);
    if (!old.isEmpty()) {
      takings.removeAll(old);
      carried = mostTaken(old, before);
      carriedAt = before;
    }
  }

  /** It may have passed or not, until that time; what another gateway passes on, until later. */
  void unknown(Taking taking, long until) {
    taking.ended = until + (taking.relayed ? RELAYED_NANOS : 0);
    if (!taking.over) {
      unknown += taking.requests;
    }
  }

  /** It was rejected by another bucket. */
  void untouched(Taking taking) {
    takings.remove(taking);
  }

  /**
   * Its reply shows that it has passed.
   *
   * @return what is wrong; null if nothing is
   */
  @Nullable String passed(Taking taking, long now) {
    if (taking.over || taking.unsure) {
      return decidedBySome(taking, now);
    }
    taking.ended = now;
    taking.passed = true;
    if (neverPasses(taking)) {
      return "%d requests to %s passed at once, and the bucket holds %d"
          .formatted(taking.requests, limit.prefix(), limit.burst());
    }
    int passed = 0;
    int excess = 0; // one request for more than the bucket holds passes when it is full
    for (int i = takings.size() - 1; i >= 0; i--) {
      Taking one = takings.get(i);
      if (!one.passed) {
        continue;
      }
      passed += one.requests;
      excess = Math.max(excess, one.requests - limit.burst());
      double most = limit.burst() + excess + filled(one.began, now);
      if (passed > most + ERROR) {
        return "%d requests to %s passed within %.6f s, and %.3f may"
            .formatted(passed, limit.prefix(), (now - one.began) / SECOND, most);
      }
    }
    return null;
  }

  /**
   * Its reply shows that it was rejected.
   *
   * @return what is wrong; null if nothing is
   */
  @Nullable String rejected(Taking taking, long now) {
    if (taking.over || taking.unsure) {
      return decidedBySome(taking, now);
    }
    int at = takings.indexOf(taking);
    List<Taking> before = new ArrayList<>();
    for (int i = 0; i < takings.size(); i++) {
      if (takings.get(i).client != taking.client || i < at) {
        before.add(takings.get(i));
      }
    }
    takings.remove(at);
    rejected += taking.requests;
    if (neverPasses(taking)) {
      return null;
    }
    double needed = Math.min(taking.requests, limit.burst());
    double least = limit.burst() - mostTaken(before, taking.began);
    return least < needed
        ? null
        : "%d requests to %s were rejected, and the bucket had at least %.3f of %d"
            .formatted(taking.requests, limit.prefix(), least, limit.burst());
  }

  private boolean neverPasses(Taking taking) {
    return taking.requests > MOST_BURSTS * limit.burst();
  }

  // By the gateway before this one, or by one of the two.
  private @Nullable String decidedBySome(Taking taking, long now) {
    if (taking.unsure) {
      unknown(taking, now);
    }
    return null;
  }

  // What the bucket lacks at most, if all was taken as late as possible.
  private double mostTaken(List<Taking> before, long now) {
    before.sort(Comparator.comparingLong((Taking taking) -> taking.ended).reversed());
    int requests = 0;
    double most = 0;
    for (Taking taking : before) {
      requests += taking.requests;
      most = Math.max(most, requests - filled(taking.ended, now) + ERROR); // a full one is exact
    }
    return Math.max(most, requests + carried - filled(carriedAt, now));
  }

  private double filled(long from, long to) {
    return Math.max(0, to - from) / SECOND * limit.rate();
  }

  /** Judges how many requests a gateway says that it has rejected. */
  @Nullable String judgeCount(double told) {
    return told >= rejected && told <= rejected + unknown
        ? null
        : "%.0f requests to %s were rejected according to the metric, and %d to %d were"
            .formatted(told, limit.prefix(), rejected, rejected + unknown);
  }
}
