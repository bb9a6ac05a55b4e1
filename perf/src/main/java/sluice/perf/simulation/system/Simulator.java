package sluice.perf.simulation.system;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.random.RandomGenerator.SplittableGenerator;
import org.jspecify.annotations.Nullable;
import sluice.gateway.time.SimulatedThread;

/**
 * Scheduler of everything that happens in a simulation: a virtual clock, and events in the order of
 * their times. Belongs to the thread that runs it.
 *
 * <p>Each user of random numbers has a stream of its own, so that a change to one user leaves the
 * choices of the others as they were.
 */
public final class Simulator {
  /** Something that will happen, unless it is cancelled. */
  public static final class Event implements Comparable<Event> {
    private final long time;
    private final long order;
    private final Runnable action;
    private boolean over;

    private Event(long time, long order, Runnable action) {
      this.time = time;
      this.order = order;
      this.action = action;
    }

    /** The time at which it happens, in nanoseconds since the start. */
    public long time() {
      return time;
    }

    /** Whether it is still to come. */
    public boolean isPending() {
      return !over;
    }

    /** Prevents it. */
    public void cancel() {
      over = true;
    }

    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(time, other.time);
      return byTime == 0 ? Long.compare(order, other.order) : byTime;
    }
  }

  private static final long PRIME = 0x100000001b3L;
  private static final long BASIS = 0xcbf29ce484222325L;

  /** Virtual time of day at the start: 2026-01-01T00:00:00Z. */
  private static final long EPOCH_MILLIS = 1_767_225_600_000L;

  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final SplittableRandom streams;
  private final RandomGenerator timing;
  private final RandomGenerator product;
  private final List<String> findings = new ArrayList<>();
  private final long nanoOrigin;
  private @Nullable Object current; // null: no event loop runs
  private @Nullable PrintStream trace; // null: what happens is not printed
  private long now;
  private long order;
  private long clockJump; // milliseconds by which the time of day has jumped
  private long hash = BASIS;
  private long steps;
  private long firstFinding;
  private volatile @Nullable String stranger; // a thread that called an event loop

  /** A simulation in which nothing is going to happen yet. */
  public Simulator(long seed) {
    streams = new SplittableRandom(seed);
    timing = stream();
    product = stream();
    // The difference of two times is right even if the counter overflows between them.
    nanoOrigin =
        timing.nextInt(4) == 0
            ? Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(timing.nextInt(1, 300))
            : timing.nextLong(TimeUnit.DAYS.toNanos(100));
  }

  /** A further stream of random numbers. */
  public SplittableGenerator stream() {
    return streams.split();
  }

  /** The stream for delays. */
  RandomGenerator timing() {
    return timing;
  }

  /** The stream for the product's own choices. */
  RandomGenerator product() {
    return product;
  }

  /** Prints every traced happening from now on. */
  public void verbose(PrintStream to) {
    trace = to;
  }

  /** Nanoseconds since the start. */
  public long now() {
    return now;
  }

  /** What the product's clock shows. */
  long nanoTime() {
    return nanoOrigin + now;
  }

  /** What the product's clock of the day shows. */
  long currentTimeMillis() {
    return EPOCH_MILLIS + clockJump + TimeUnit.NANOSECONDS.toMillis(now);
  }

  /** Sets the time of day forward, or back. */
  public void jump(long millis) {
    clockJump += millis;
  }

  /** Makes action happen at a time, at the earliest now. */
  public Event at(long time, Runnable action) {
    if (!(Thread.currentThread() instanceof SimulatedThread)) {
      throw new IllegalStateException(
          "found " + Thread.currentThread() + ", expected the thread of the simulation");
    }
    Event event = new Event(Math.max(now, time), order++, action);
    events.add(event);
    return event;
  }

  /** Makes action happen after that many nanoseconds. */
  public Event after(long nanos, Runnable action) {
    return at(now + nanos, action);
  }

  /** Lets things happen until a time. */
  public void runUntil(long time) {
    while (true) {
      Event next = events.peek();
      if (next == null || next.time > time) {
        now = time;
        return;
      }
      events.remove();
      if (next.over) {
        continue;
      }
      next.over = true;
      now = next.time;
      steps++;
      try {
        next.action.run();
      } catch (RuntimeException | Error e) {
        failed("an event failed", e);
      }
    }
  }

  /** Lets things happen for that many nanoseconds. */
  public void run(long nanos) {
    runUntil(now + nanos);
    String called = stranger;
    if (called != null) {
      stranger = null;
      finding("the thread " + called + " gave an event loop work");
    }
  }

  /** The number of events so far. */
  public long steps() {
    return steps;
  }

  /** The event loop that runs at this moment; null for none. */
  @Nullable Object current() {
    return current;
  }

  void enter(@Nullable Object loop) {
    current = loop;
  }

  // --- the trace ---------------------------------------------------------------------------------

  /** Adds a happening to the trace, with two numbers that describe it. */
  public void trace(String what, long one, long other) {
    mix(now);
    mix(what.hashCode());
    mix(one);
    mix(other);
    if (trace != null) {
      trace.printf("%14.6f %s %d %x%n", now / 1e9, what, one, other);
    }
  }

  /** Prints a line for readers of a verbose trace. */
  public void note(String text) {
    if (trace != null) {
      trace.printf("%14.6f %s%n", now / 1e9, text);
    }
  }

  private void mix(long value) {
    hash = (hash ^ value) * PRIME;
    hash ^= hash >>> 32;
  }

  /** A hash of all happenings so far. */
  public long hash() {
    return hash;
  }

  // --- what is wrong
  // -------------------------------------------------------------------------------

  /** Adds something that must not happen. */
  public void finding(String text) {
    note("FINDING " + text);
    if (findings.isEmpty()) {
      firstFinding = now;
    }
    if (findings.size() < 20) {
      findings.add(String.format("%.6f s: %s", now / 1e9, text));
    }
  }

  /** When the first of them was added, in nanoseconds since the start; 0 without any. */
  public long firstFinding() {
    return firstFinding;
  }

  /**
   * Another thread gives an event loop work, at a time that no seed chooses. From any thread; fails
   * there.
   */
  void calledBy(Thread thread) {
    stranger = thread.getName();
    throw new IllegalStateException("found a task from " + thread + ", expected the simulation's");
  }

  /** Adds an exception that nothing has caught. */
  public void failed(String what, Throwable failure) {
    StringBuilder text = new StringBuilder(what).append(": ").append(failure);
    StackTraceElement[] stack = failure.getStackTrace();
    for (int i = 0; i < Math.min(12, stack.length); i++) {
      text.append("\n    at ").append(stack[i]);
    }
    finding(text.toString());
  }

  /** What must not happen, and did. */
  public List<String> findings() {
    return List.copyOf(findings);
  }
}
