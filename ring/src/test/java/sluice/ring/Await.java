package sluice.ring;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waiting for what another process does. */
final class Await {

  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(100);

  private Await() {}

  /** Returns once the condition holds; fails with {@code what} when it did not in time. */
  static void until(Duration limit, Supplier<String> what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("not within " + limit.toSeconds() + " s: " + what.get());
      }
      if (Thread.interrupted()) {
        throw new IllegalStateException("interrupted while waiting: " + what.get());
      }
      LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
    }
  }
}
