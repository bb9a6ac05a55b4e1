package sluice.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Declaration of errors that a test causes on purpose, so that the suite does not fail for them:
 *
 * <pre>{@code
 * ExpectedErrors.of("reply that breaks the protocol").during(() -> ...);
 * }</pre>
 *
 * Every declared text must be part of some error's message while the body runs, or soon after. A
 * declaration without such an error shows that the test no longer tests what it did.
 */
public final class ExpectedErrors {

  /** Action that causes the errors. */
  public interface Body {
    void run() throws Exception;
  }

  private static final Duration PATIENCE = Patience.LIMIT;
  private static final List<ExpectedErrors> OPEN = new CopyOnWriteArrayList<>();

  private final List<String> texts;
  private final boolean required;
  private final Set<String> seen = ConcurrentHashMap.newKeySet();

  private ExpectedErrors(boolean required, String... texts) {
    this.texts = List.of(texts);
    this.required = required;
  }

  /** At least one error with each of these texts. */
  public static ExpectedErrors of(String... texts) {
    return new ExpectedErrors(true, texts);
  }

  /** Any number of errors with these texts, possibly none: for random tests. */
  public static ExpectedErrors possibly(String... texts) {
    return new ExpectedErrors(false, texts);
  }

  /** Runs the body; fails if a required error was not logged by its end or soon after. */
  public void during(Body body) throws Exception {
    during(PATIENCE, body);
  }

  /** Like {@link #during(Body)}, with another time limit for errors after the body. */
  void during(Duration patience, Body body) throws Exception {
    OPEN.add(this);
    try {
      body.run();
      if (required) {
        awaitAll(patience);
      }
    } finally {
      OPEN.remove(this);
    }
  }

  /** Whether a test expects this message. Called by the thread that logs it. */
  static boolean claim(String message) {
    boolean claimed = false;
    for (ExpectedErrors expected : OPEN) {
      for (String text : expected.texts) {
        if (message.contains(text)) {
          expected.seen.add(text);
          claimed = true;
        }
      }
    }
    return claimed;
  }

  private void awaitAll(Duration patience) {
    long deadline = System.nanoTime() + patience.toNanos();
    while (!seen.containsAll(texts)) {
      if (System.nanoTime() > deadline) {
        List<String> missing = new ArrayList<>(texts);
        missing.removeAll(seen);
        throw new AssertionError("expected an error to be logged with each of " + missing);
      }
      try {
        Thread.sleep(5);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted while waiting for errors", e);
      }
    }
  }
}
