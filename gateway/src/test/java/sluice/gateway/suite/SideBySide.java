package sluice.gateway.suite;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.function.Executable;

/**
 * Cases of one class that share nothing and mostly wait: so many of them at a time, each a test of
 * its own. The class is not over before all of them are, so what they leak or log is still its.
 */
public final class SideBySide {
  private final Map<String, Executable> cases = new LinkedHashMap<>();

  /** Adds a case, which begins before or after those added earlier. */
  public SideBySide add(String name, Executable run) {
    if (cases.put(name, run) != null) {
      throw new IllegalArgumentException("two cases are called " + name);
    }
    return this;
  }

  /**
   * One test a case, in the order in which they were added; the first begins at once.
   *
   * @param atOnce how many run at a time
   * @param limit how long all of them may take; those that are not over by then have failed
   */
  public List<DynamicTest> tests(int atOnce, Duration limit) {
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(atOnce, atOnce, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
    Map<String, CompletableFuture<Void>> running = new LinkedHashMap<>();
    cases.forEach(
        (name, run) -> running.put(name, CompletableFuture.runAsync(() -> execute(run), threads)));
    threads.shutdown();
    long end = System.nanoTime() + limit.toNanos();
    return running.entrySet().stream()
        .map(
            each ->
                DynamicTest.dynamicTest(
                    each.getKey(),
                    () -> {
                      try {
                        each.getValue().get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                      } catch (TimeoutException e) {
                        threads.shutdownNow();
                        throw new AssertionError("not over within " + limit, e);
                      } catch (ExecutionException e) {
                        throw e.getCause();
                      }
                    }))
        .toList();
  }

  private static void execute(Executable run) {
    try {
      run.execute();
    } catch (Throwable e) { // a test may throw anything; who joins it throws it on
      throw new CompletionException(e);
    }
  }
}
