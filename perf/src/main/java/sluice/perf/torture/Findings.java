package sluice.perf.torture;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What a run has found wrong, told as it is found; and what else it has to say. */
final class Findings {
  private static final int TOLD = 40;

  private final PrintStream out;
  private final long begin = System.nanoTime();
  private final List<String> wrong = new ArrayList<>();
  private int count;

  Findings(PrintStream out) {
    this.out = out;
  }

  /** Something is not as it must be: the run has failed. */
  synchronized void wrong(String description) {
    if (++count <= TOLD) {
      wrong.add(description);
      tell("WRONG: " + description);
    }
  }

  /** Something happened. */
  synchronized void tell(String line) {
    out.printf(Locale.ROOT, "%8.3f %s%n", (System.nanoTime() - begin) / 1e9, line);
  }

  /** A line of the summary. */
  synchronized void say(String line) {
    out.println(line);
  }

  /** How many things are wrong. */
  synchronized int count() {
    return count;
  }

  /** The first of them. */
  synchronized List<String> all() {
    return List.copyOf(wrong);
  }

  double seconds() {
    return (System.nanoTime() - begin) / 1e9;
  }
}
