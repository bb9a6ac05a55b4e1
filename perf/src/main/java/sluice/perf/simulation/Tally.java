package sluice.perf.simulation;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How strictly the replies to checked clients were judged. */
final class Tally {
  /**
   * Replies, by how they were judged.
   *
   * @param exact those to requests whose outcome was known
   * @param weak those whose key may hold one of several values, or none, because of a fault
   * @param excused errors, and replies that are missing, because of a fault, or because the client
   *     did not read
   */
  record Counts(long exact, long weak, long excused) {
    static final Counts NONE = new Counts(0, 0, 0);

    private static final Pattern LINE =
        Pattern.compile("exact=([0-9]+) weak=([0-9]+) excused=([0-9]+)");

    Counts plus(Counts more) {
      return new Counts(exact + more.exact, weak + more.weak, excused + more.excused);
    }

    /** Those that a line with {@link #line} has. */
    static Counts of(String line) {
      Matcher found = LINE.matcher(line);
      if (!found.find()) {
        throw new IllegalArgumentException("found no counts in: " + line);
      }
      return new Counts(number(found, 1), number(found, 2), number(found, 3));
    }

    private static long number(Matcher found, int group) {
      return Long.parseLong(found.group(group));
    }

    /** As the command prints them. */
    String line() {
      return "exact=" + exact + " weak=" + weak + " excused=" + excused;
    }

    /** The share of exact ones, in percent. */
    long percentExact() {
      return 100 * exact / Math.max(1, exact + weak + excused);
    }
  }

  private long exact;
  private long weak;
  private long excused;

  void judged(boolean exactly) {
    if (exactly) {
      exact++;
    } else {
      weak++;
    }
  }

  void excused(int replies) {
    excused += replies;
  }

  Counts counts() {
    return new Counts(exact, weak, excused);
  }
}
