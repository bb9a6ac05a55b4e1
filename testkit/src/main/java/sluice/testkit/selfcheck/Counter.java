package sluice.testkit.selfcheck;

import java.util.ArrayList;
import java.util.List;

/**
 * Possible values of a number that a single connection counts up and down, according to the
 * replies.
 *
 * <p>A failed request to count may have been carried out once, at any later time, and never twice.
 * The number is the acknowledged sum plus any of those changes. After some such requests, another
 * number replaces it.
 */
final class Counter {
  private static final int REQUESTS_WITH_STRAYS = 6;
  private static final int MOST_STRAYS = 4;

  final String key;

  /** Whether its servers may differ once a request to change it has failed. */
  private final boolean lingering;

  private final List<Long> strays = new ArrayList<>(0);
  private long value;
  private boolean exists;
  private boolean begun;
  private boolean lost;
  private int requestsWithStrays;

  Counter(String key, boolean lingering) {
    this.key = key;
    this.lingering = lingering;
  }

  /** Counts one more request; true if a new counter should replace it. */
  boolean isWornOut() {
    return lost || (!strays.isEmpty() && ++requestsWithStrays > REQUESTS_WITH_STRAYS);
  }

  /** Whether it still has to be given its first value; true once. */
  boolean begins() {
    boolean begins = !begun;
    begun = true;
    return begins;
  }

  /** It was set to its first value. */
  void created(long first) {
    value = first;
    exists = true;
  }

  /** Whether it has its first value is unknown. */
  void lose() {
    lost = true;
  }

  /** A request to add this much failed. */
  void unknown(long delta) {
    strays.add(delta);
    lost |= lingering || strays.size() > MOST_STRAYS;
  }

  /** A reply reports the number after adding this much. */
  void counted(long delta, long number) {
    value += delta;
    read(number);
  }

  /** A reply reports the number. */
  void read(long number) {
    if (!lost && !(exists && isPossible(number))) {
      throw new WrongReply(this + ", answered " + number);
    }
  }

  private boolean isPossible(long number) {
    for (int some = 0; some < 1 << strays.size(); some++) {
      long sum = value;
      for (int i = 0; i < strays.size(); i++) {
        sum += (some >> i & 1) * strays.get(i);
      }
      if (sum == number) {
        return true;
      }
    }
    return false;
  }

  /** A reply reports that the counter does not exist. */
  void missed() {
    if (!lost) {
      throw new WrongReply(this + ", not found");
    }
  }

  @Override
  public String toString() {
    return "counter "
        + key
        + (exists ? " can be " + value + " and any of " + strays : " was never created");
  }
}
