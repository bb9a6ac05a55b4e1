package sluice.ring;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongFunction;

/** Requests of which a limited number are under way at the same time. */
final class InFlight {

  private InFlight() {}

  /** Sends {@code request(from)} to {@code request(to - 1)}; throws the first failure of any. */
  static void all(long from, long to, int parallel, LongFunction<CompletionStage<?>> request) {
    Semaphore permits = new Semaphore(parallel);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    for (long one = from; one < to && failure.get() == null; one++) {
      permits.acquireUninterruptibly();
      request
          .apply(one)
          .whenComplete(
              (result, problem) -> {
                if (problem != null) {
                  failure.compareAndSet(null, problem);
                }
                permits.release();
              });
    }
    permits.acquireUninterruptibly(parallel);
    if (failure.get() != null) {
      throw new AssertionError("a request failed", failure.get());
    }
  }
}
