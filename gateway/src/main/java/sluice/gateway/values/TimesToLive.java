package sluice.gateway.values;

import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.memcached.bridge.Awaited;
import sluice.codecs.memcached.bridge.Exptime;
import sluice.codecs.memcached.bridge.Failure;
import sluice.codecs.memcached.bridge.Reply;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.bridge.TimeToLive;

/**
 * Bounds on times to live, applied before other processing of values. A request may have three
 * times: that of its item, of a counter that it creates, and of an item that a meta request leaves
 * behind. A time that has already expired stays unchanged.
 */
public final class TimesToLive implements ValueWork {
  private final long min;
  private final long max;
  private final double jitter;
  private final @Nullable ValueWork next; // or null
  private final LongSupplier clock;
  private final DoubleSupplier random;

  /**
   * Bounds in seconds.
   *
   * @param min for items with a time to live; 0 for none
   * @param max also for items without a time to live; 0 for none
   * @param jitter the largest share by which a time is shortened, 0 to 1
   * @param next further processing of values, or null
   * @param clock seconds since 1970
   * @param random from 0 to 1
   */
  public TimesToLive(
      long min,
      long max,
      double jitter,
      @Nullable ValueWork next,
      LongSupplier clock,
      DoubleSupplier random) {
    this.min = min;
    this.max = max;
    this.jitter = jitter;
    this.next = next;
    this.clock = clock;
    this.random = random;
  }

  @Override
  public void prepare(Request request) {
    switch (request.operation) {
      case SET, ADD, REPLACE -> {
        request.timeToLive.set(within(request.timeToLive.exptime));
      }
      case GET, TOUCH, INCREMENT, DECREMENT -> {
        bound(request.timeToLive);
        bound(request.arithmetic.created);
      }
      default -> {} // nothing whose time to live matters
    }
    if (request.left.isGiven || request.leavesEmpty()) {
      request.left.exptime = within(request.left.exptime);
      request.left.isGiven |= request.left.exptime != 0;
    }
    if (next != null) {
      next.prepare(request);
    }
  }

  private void bound(TimeToLive timeToLive) {
    if (timeToLive.isGiven) {
      timeToLive.exptime = within(timeToLive.exptime);
    }
  }

  /** Applies the bounds. In {@link Exptime}'s domain, as is the result. */
  private long within(long exptime) {
    if (exptime < 0) {
      return exptime;
    }
    boolean absolute = exptime > Exptime.MOST_RELATIVE;
    long now = absolute ? clock.getAsLong() : 0;
    long left = absolute ? exptime - now : exptime;
    if (absolute && left <= 0) {
      return exptime; // already expired
    }
    long bounded = left;
    if (left == 0) {
      bounded = max;
    } else {
      bounded = max > 0 ? Math.min(Math.max(left, min), max) : Math.max(left, min);
    }
    if (bounded > 0 && jitter > 0) {
      bounded = Math.max(1, bounded - (long) (bounded * jitter * random.getAsDouble()));
    }
    if (bounded == left) {
      return exptime;
    }
    return bounded > Exptime.MOST_RELATIVE ? clock.getAsLong() + bounded : bounded;
  }

  @Override
  public boolean gathers(Request request) {
    return next != null && next.gathers(request);
  }

  @Override
  public @Nullable Failure outbound(Request request, SliceList value) {
    return next == null ? null : next.outbound(request, value);
  }

  @Override
  public boolean gathers(Reply reply, Awaited awaited) {
    return next != null && next.gathers(reply, awaited);
  }

  @Override
  public @Nullable Failure inbound(Reply reply, Awaited awaited, SliceList value) {
    return next == null ? null : next.inbound(reply, awaited, value);
  }

  @Override
  public @Nullable Failure describe(Reply reply, Awaited awaited, SliceList value) {
    return next == null ? null : next.describe(reply, awaited, value);
  }

  @Override
  public void unmark(Reply reply) {
    if (next != null) {
      next.unmark(reply);
    }
  }

  @Override
  public @Nullable ValueWork withoutRewriting() {
    return next == null ? null : next.withoutRewriting(); // a reader bounds no times
  }

  @Override
  public void answered(Reply reply, Awaited awaited) {
    if (next != null) {
      next.answered(reply, awaited);
    }
  }
}
