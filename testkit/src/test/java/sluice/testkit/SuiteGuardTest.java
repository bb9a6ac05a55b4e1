package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.netty.buffer.PooledByteBufAllocator;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
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
    SuiteGuard.collectNext();
    assertThat(failuresOf(LeakingCase.class)).contains("LEAK: ", "while", "LeakingCase ran");
  }

  @Test
  void shouldNameAllClassesThatMayHaveLeakedABuffer() throws Exception {
    SuiteGuard.collectNext();
    assertThat(failuresOf(QuietCase.class)).isEmpty();
    assertThat(failuresOf(LeakingCase.class)).isEmpty();
    SuiteGuard.collectNext();
    assertThat(failuresOf(QuietCase.class)).contains("LEAK: ", "while LeakingCase, QuietCase ran");
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
  void shouldPassAClassWhoseEventLoopWaitsForAProcessor() throws Exception {
    assertThat(failuresOf(BrieflyBlockingCase.class)).isEmpty();
  }

  @Test
  void shouldPassAClassWhoseErrorsAreExpected() throws Exception {
    assertThat(failuresOf(ExpectingCase.class)).isEmpty();
  }

  @Test
  void shouldFailATestWhoseExpectedErrorDoesNotCome() {
    ExpectedErrors expected = ExpectedErrors.of("an error that nobody logs");
    assertThatThrownBy(() -> expected.during(Duration.ofMillis(200), () -> {}))
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

final class QuietCase {
  @Test
  void shouldDoNothing() {}
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
    BlockedLoop.untilWarned("has been blocked for ([5-9]\\d{3}|\\d{5,}) ms");
  }
}

final class BrieflyBlockingCase {
  @Test
  void shouldBlockAnEventLoopForAMoment() throws Exception {
    BlockedLoop.untilWarned("has been blocked for \\d+ ms");
  }
}

final class BlockedLoop {
  private BlockedLoop() {}

  /** Blocks an event loop until two warnings have this; the first is in all logs by then. */
  static void untilWarned(String regex) throws Exception {
    VertxOptions options =
        new VertxOptions()
            .setBlockedThreadCheckInterval(200)
            .setBlockedThreadCheckIntervalUnit(TimeUnit.MILLISECONDS)
            .setMaxEventLoopExecuteTime(50)
            .setMaxEventLoopExecuteTimeUnit(TimeUnit.MILLISECONDS);
    Vertx vertx = Vertx.vertx(options);
    Pattern warning = Pattern.compile(regex);
    CompletableFuture<Boolean> warned = new CompletableFuture<>();
    try (LogLines log = LogLines.of("io.vertx")) {
      vertx.runOnContext(
          v ->
              warned.complete(
                  Patience.within(
                      Duration.ofMinutes(1),
                      () -> log.lines().stream().filter(warning.asPredicate()).count() > 1)));
      assertThat(warned.get()).isTrue();
    }
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }
}
