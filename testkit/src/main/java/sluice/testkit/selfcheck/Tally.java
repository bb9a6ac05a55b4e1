package sluice.testkit.selfcheck;

import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Result of a run. Requests are counted once, including a read of many keys. */
public final class Tally {
  private static final int KEPT = 20;
  private static final double NANOS = 1e9;
  private static final Pattern NUMBERS = Pattern.compile("[0-9]+");

  long sent;
  long answered;
  long silent;
  long errors;
  long unanswered;
  long reconnects;
  long hangs;
  long wrong;
  long hits;
  long misses;
  long longestFailureNanos;
  double seconds;
  private final List<String> descriptions = new ArrayList<>();
  private final Map<String, Integer> reasons = new TreeMap<>();

  private final long begin = System.nanoTime();

  /** A connection on which nothing arrived for this long, and the replies that are due on it. */
  void hang(String connection, long nanos, Deque<Expectation> due) {
    hangs++;
    describe(
        String.format(
            "%s: at %.1f s nothing had come for %.1f s; %d due, the first: %s",
            connection,
            (System.nanoTime() - begin) / NANOS,
            nanos / NANOS,
            due.size(),
            due.peek()));
  }

  void wrong(String description) {
    wrong++;
    describe(description);
  }

  private void describe(String description) {
    if (descriptions.size() < KEPT) {
      descriptions.add(description);
    }
  }

  /** Counts an error with this text; numbers of servers in it are ignored. */
  void reason(String text) {
    String kind = NUMBERS.matcher(text).replaceAll("N");
    if (reasons.size() < KEPT || reasons.containsKey(kind)) {
      reasons.merge(kind, 1, Integer::sum);
    }
  }

  void failedAfter(long nanos) {
    longestFailureNanos = Math.max(longestFailureNanos, nanos);
  }

  /** The longest time from a request to the error that answered it. */
  public long longestFailureNanos() {
    return longestFailureNanos;
  }

  /** Requests sent. */
  public long sent() {
    return sent;
  }

  /** Requests whose reply arrived and is right, except errors. */
  public long ok() {
    return answered;
  }

  /** Requests that rightly got no reply: noreply, and quiet forms in their usual case. */
  public long silent() {
    return silent;
  }

  /** SERVER_ERROR, and the statuses 0x84 to 0x86 of the binary protocol. */
  public long errors() {
    return errors;
  }

  /** Requests that were open when their connection closed, or hung. */
  public long unanswered() {
    return unanswered;
  }

  /** Connections that were opened again after the other side closed one, or after a hang. */
  public long reconnects() {
    return reconnects;
  }

  /** Connections on which nothing arrived for longer than the limit while replies were due. */
  public long hangs() {
    return hangs;
  }

  /** Keys found. */
  public long hits() {
    return hits;
  }

  /** Keys not found. */
  public long misses() {
    return misses;
  }

  /** The texts of errors, and how often each occurred. */
  public Map<String, Integer> reasons() {
    return new TreeMap<>(reasons);
  }

  /** Replies that cannot belong to their request. */
  public long wrong() {
    return wrong;
  }

  /** Descriptions of the first wrong or missing replies. */
  public List<String> descriptions() {
    return List.copyOf(descriptions);
  }

  @Override
  public String toString() {
    StringBuilder text =
        new StringBuilder(
            String.format(
                "sent %d, ok %d, silent %d, errors %d, unanswered %d, reconnects %d, hangs %d,"
                    + " WRONG %d; hits %d, misses %d; %.1f s, %.0f requests/s",
                sent,
                answered,
                silent,
                errors,
                unanswered,
                reconnects,
                hangs,
                wrong,
                hits,
                misses,
                seconds,
                sent / seconds));
    for (String description : descriptions) {
      text.append(System.lineSeparator()).append("  wrong: ").append(description);
    }
    return text.toString();
  }
}
