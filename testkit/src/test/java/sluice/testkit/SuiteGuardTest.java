package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.netty.buffer.PooledByteBufAllocator;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.slf4j.LoggerFactory;

/** Runs test classes that only this class knows of, as the build runs its own. */
class SuiteGuardTest {

  @Test
  void shouldFailAClassThatLeaksABuffer() throws Exception {
    assertThat(failuresOf(LeakingCase.class)).contains("LEAK: ", "LeakingCase");
  }

  @Test
  void shouldFailAClassThatLogsAnError() throws Exception {
    assertThat(failuresOf(ErrorCase.class)).contains("1 problem(s)", "nobody expected this");
  }

  @Test
  void shouldFailAClassThatBlocksAnEventLoop() throws Exception {
    assertThat(failuresOf(BlockingCase.class)).contains("BlockedThreadChecker", "has been blocked");
  }

  @Test
  void shouldPassAClassWhoseErrorsAreExpected() throws Exception {
    assertThat(failuresOf(ExpectingCase.class)).isEmpty();
  }

  @Test
  void shouldFailATestWhoseExpectedErrorDoesNotCome() {
    ExpectedErrors expected = ExpectedErrors.of("an error that nobody logs");
    assertThatThrownBy(() -> expected.during(() -> {}))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("an error that nobody logs");
  }

  // The session has no listeners: their end is that of the build's own session.
  private static String failuresOf(Class<?> testClass) throws Exception {
    SummaryGeneratingListener summary = new SummaryGeneratingListener();
    LauncherConfig config =
        LauncherConfig.builder().enableLauncherSessionListenerAutoRegistration(false).build();
    try (LauncherSession session = LauncherFactory.openSession(config)) {
      session
          .getLauncher()
          .execute(
              LauncherDiscoveryRequestBuilder.request().selectors(selectClass(testClass)).build(),
              summary);
    }
    assertThat(summary.getSummary().getTestsFoundCount()).isOne();
    StringWriter failures = new StringWriter();
    summary.getSummary().getFailures().stream()
        .forEach(failure -> failure.getException().printStackTrace(new PrintWriter(failures)));
    return failures.toString();
  }
}

final class LeakingCase {
  @Test
  void shouldForgetABuffer() {
    PooledByteBufAllocator.DEFAULT.directBuffer(64).writeLong(1);
  }
}

final class ErrorCase {
  @Test
  void shouldLogAnError() {
    LoggerFactory.getLogger(ErrorCase.class).error("nobody expected this");
  }
}

final class ExpectingCase {
  @Test
  void shouldLogAnErrorOnPurpose() throws Exception {
    ExpectedErrors.of("on purpose")
        .during(() -> LoggerFactory.getLogger(ErrorCase.class).error("said {}", "on purpose"));
  }
}

final class BlockingCase {
  @Test
  void shouldBlockAnEventLoop() throws Exception {
    VertxOptions options =
        new VertxOptions()
            .setBlockedThreadCheckInterval(20)
            .setBlockedThreadCheckIntervalUnit(TimeUnit.MILLISECONDS)
            .setMaxEventLoopExecuteTime(50)
            .setMaxEventLoopExecuteTimeUnit(TimeUnit.MILLISECONDS);
    Vertx vertx = Vertx.vertx(options);
    CountDownLatch done = new CountDownLatch(1);
    vertx.runOnContext(
        v -> {
          try {
            Thread.sleep(300);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          done.countDown();
        });
    done.await();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }
}
