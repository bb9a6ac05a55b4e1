package sluice.perf.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Receiver of the log of simulated gateways. Every error is a finding, and every reply that is none
 * of a server that tells no lies.
 */
final class ErrorLog extends AppenderBase<ILoggingEvent> {
  private volatile Consumer<String> findings = text -> {};
  private volatile Consumer<String> lines = text -> {};
  private volatile @Nullable Excuses excuses; // of the simulation that runs

  /**
   * Takes the place of all other receivers of the log.
   *
   * @param whole whether it receives all lines, not only warnings and errors
   */
  static ErrorLog install(boolean whole) {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    context.reset();
    ErrorLog log = new ErrorLog();
    log.setContext(context);
    log.start();
    Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    root.setLevel(whole ? Level.INFO : Level.WARN);
    root.addAppender(log);
    return log;
  }

  /**
   * Sets the receivers.
   *
   * @param toFindings gets what is a finding
   * @param toLines gets every line
   * @param of tells what of it has a reason
   */
  void follow(Consumer<String> toFindings, Consumer<String> toLines, Excuses of) {
    findings = toFindings;
    lines = toLines;
    excuses = of;
  }

  @Override
  protected void append(ILoggingEvent event) {
    String line = event.getFormattedMessage();
    lines.accept("the log: " + line);
    Excuses excused = excuses;
    if (excused == null) {
      return;
    }
    if (!excused.allowLie(line)) {
      findings.accept("the log: " + line);
      return;
    }
    // Netty and Vert.x warn of exceptions that nothing handles.
    boolean unhandled =
        event.getThrowableProxy() != null
            && !event.getLoggerName().startsWith("sluice.")
            && !excused.allowUnhandled(line);
    if (event.getLevel().isGreaterOrEqual(Level.ERROR) || unhandled) {
      String stack =
          event.getThrowableProxy() == null
              ? ""
              : "\n" + ThrowableProxyUtil.asString(event.getThrowableProxy());
      findings.accept("the log: " + line + stack);
    }
  }
}
