package sluice.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * Waits for conditions that must come true, with limits far longer than needed, because a test
 * machine may be busy. Tests of behaviour make no assumption about times.
 */
public final class Patience {
  /** Time after which a condition counts as failed. */
  public static final Duration LIMIT = Duration.ofSeconds(20);

  private Patience() {}

  /** Waits until condition holds; returns whether it did within {@link #LIMIT}. */
  public static boolean soon(Callable<Boolean> condition) {
    return within(LIMIT, condition);
  }

  /** Waits until condition holds; returns whether it did within limit. */
  public static boolean within(Duration limit, Callable<Boolean> condition) {
    long end = System.nanoTime() + limit.toNanos();
    try {
      while (!condition.call()) {
        if (System.nanoTime() - end > 0) {
          return false;
        }
        TimeUnit.MILLISECONDS.sleep(5);
      }
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (RuntimeException e) {
      throw e;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
