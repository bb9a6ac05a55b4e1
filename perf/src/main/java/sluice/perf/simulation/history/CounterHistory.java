package sluice.perf.simulation.history;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Number that several clients count up and down.
 *
 * <p>Each change counts in a digit of its own, of base four, so that a number tells which changes
 * it has, and whether it has one twice. Digits that are counted down begin at one.
 *
 * <pre>
 *   bits  59 58        5  4   3  2   1  0
 *        +-----+- ... +-----+-----+-----+
 *        | 29  |      |  2  |  1  |  0  |   even digits: 0, then 1; odd ones: 1, then 0
 *        +-----+- ... +-----+-----+-----+
 * </pre>
 */
public final class CounterHistory {
  private static final int DIGITS = 30;
  private static final int BITS = 2;
  private static final int LARGEST = 3;

  /** The number before all changes. */
  public static final long INITIAL = initial();

  /** Change of the number. */
  public static final class Count extends Step {
    private final int digit;

    private Count(Object client, int number, long now, int digit) {
      super(client, number, now);
      this.digit = digit;
    }

    /** Whether it counts up. */
    public boolean isUp() {
      return digit % 2 == 0;
    }

    /** What it adds or subtracts. */
    public long delta() {
      return 1L << (BITS * digit);
    }

    @Override
    public String toString() {
      return (isUp() ? "+" : "-") + delta() + ", " + super.toString();
    }
  }

  private final Promise promise;
  private final List<Count> counts = new ArrayList<>(); // by digit
  private final List<Integer> shown = new ArrayList<>(); // sets of changes, as bits
  private int steps;

  /** A number that was never changed. */
  public CounterHistory(Promise promise) {
    this.promise = promise;
  }

  private static long initial() {
    long initial = 0;
    for (int i = 1; i < DIGITS; i += 2) {
      initial |= 1L << (BITS * i);
    }
    return initial;
  }

  /** Whether there is no digit left for a further change. */
  public boolean isSpent() {
    return counts.size() == DIGITS;
  }

  /** A client sends a change. */
  public Count count(Object client, long now) {
    Count count = new Count(client, ++steps, now, counts.size());
    counts.add(count);
    return count;
  }

  /** A client sends a request that changes nothing. */
  public Step read(Object client, long now) {
    return new Step(client, ++steps, now);
  }

  /**
   * Judges a number that the reply to a request shows now.
   *
   * @return what is wrong; null if nothing is
   */
  public @Nullable String judge(Step request, long found, long now) {
    int has = 0;
    for (int i = 0; i < DIGITS; i++) {
      long digit = (found >>> (BITS * i)) & LARGEST;
      long before = i % 2;
      Count count = i < counts.size() ? counts.get(i) : null;
      if (digit == before) {
        if (count != null && (count == request || count.isBefore(request))) {
          return "found " + found + ", which lacks " + count + "; the request: " + request;
        }
      } else if (digit != 1 - before || count == null) {
        return "found " + found + ", whose digit " + i + " is " + digit + ": " + count;
      } else if (count.isRefused()) {
        return "found " + found + ", which has what was refused: " + count;
      } else {
        has |= 1 << i;
        show(count, now);
      }
    }
    boolean larger = (found >>> (BITS * DIGITS)) != 0;
    return larger ? "found " + found : compare(has, found);
  }

  private void show(Count count, long now) {
    boolean stays =
        switch (promise) {
          case ORDER -> true;
          case ORDER_UNLESS_FAILED -> !count.isFailed();
          case ANSWERED -> false;
        };
    if (stays) {
      count.shown(now);
    }
  }

  // Of two numbers, one has all changes that the other has.
  private @Nullable String compare(int has, long found) {
    boolean failed = counts.stream().anyMatch(Step::isFailed);
    if (promise == Promise.ANSWERED || (promise == Promise.ORDER_UNLESS_FAILED && failed)) {
      return null;
    }
    for (int other : shown) {
      int both = has & other;
      if (both != has && both != other) {
        return "found %d with changes %x, and before %x: neither has all of the other's"
            .formatted(found, has, other);
      }
    }
    if (!shown.contains(has)) {
      shown.add(has);
    }
    return null;
  }
}
