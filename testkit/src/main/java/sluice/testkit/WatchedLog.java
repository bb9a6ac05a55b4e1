package sluice.testkit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.joran.spi.JoranException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appender that keeps every event that must not happen: a leak found by Netty, a thread that Vert.x
 * finds blocked for long, and any error that no test declared as expected.
 */
public final class WatchedLog extends AppenderBase<ILoggingEvent> {
  private static final String LEAK = "LEAK: ";
  private static final String BLOCKED = "BlockedThreadChecker";
  private static final Pattern BLOCKED_FOR = Pattern.compile("has been blocked for (\\d+) ms");

  /**
   * A thread that waits for a processor of a busy machine also seems to be blocked, but for a
   * shorter time.
   */
  private static final long BLOCKED_MILLIS = 5_000;

  private static final int MOST = 50;

  private static final Queue<String> PROBLEMS = new ArrayDeque<>();

  /**
   * Configures the log for tests, independent of their module's class path. A file that Logback
   * finds by itself would also configure programs that use fakes from this module.
   */
  static void configure() {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    context.reset();
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    try {
      configurator.doConfigure(WatchedLog.class.getResource("logback.xml"));
    } catch (JoranException e) {
      throw new IllegalStateException("the log of tests cannot be configured", e);
    }
  }

  /** Whether an appender of this class currently receives events. */
  static boolean isListening() {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    return context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender("WATCHED") instanceof WatchedLog;
  }

  @Override
  protected void append(ILoggingEvent event) {
    if (isProblem(event) && !ExpectedErrors.claim(event.getFormattedMessage())) {
      add(describe(event));
    }
  }

  private static boolean isProblem(ILoggingEvent event) {
    return event.getLevel().isGreaterOrEqual(Level.ERROR)
        || event.getFormattedMessage().startsWith(LEAK)
        || (event.getLoggerName().endsWith(BLOCKED)
            && event.getLevel().isGreaterOrEqual(Level.WARN)
            && isBlockedForLong(event.getFormattedMessage()));
  }

  private static boolean isBlockedForLong(String message) {
    Matcher blocked = BLOCKED_FOR.matcher(message);
    return !blocked.find() || Long.parseLong(blocked.group(1)) >= BLOCKED_MILLIS;
  }

  /** Adds a problem that is not a log event. */
  static void add(String problem) {
    synchronized (PROBLEMS) {
      if (PROBLEMS.size() < MOST) { // a storm of errors is one failure, not a full heap
        PROBLEMS.add(problem);
      }
    }
  }

  /** The problems since the last call. */
  static List<String> takeProblems() {
    synchronized (PROBLEMS) {
      List<String> taken = new ArrayList<>(PROBLEMS);
      PROBLEMS.clear();
      return taken;
    }
  }

  private static String describe(ILoggingEvent event) {
    String stack =
        event.getThrowableProxy() == null
            ? ""
            : "\n" + ThrowableProxyUtil.asString(event.getThrowableProxy());
    return String.format(
        "%s [%s] %s: %s%s",
        event.getLevel(),
        event.getThreadName(),
        event.getLoggerName(),
        event.getFormattedMessage(),
        stack);
  }
}
