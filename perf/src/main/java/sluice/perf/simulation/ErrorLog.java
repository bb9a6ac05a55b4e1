package sluice.perf.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.function.Consumer;
import org.slf4j.LoggerFactory;

/** Receiver of the log of simulated gateways: every error is a finding. */
final class ErrorLog extends AppenderBase<ILoggingEvent> {
  private volatile Consumer<String> findings = text -> {};
  private volatile Consumer<String> lines = text -> {};

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
   */
  void follow(Consumer<String> toFindings, Consumer<String> toLines) {
    findings = toFindings;
    lines = toLines;
  }

  @Override
  protected void append(ILoggingEvent event) {
    lines.accept("the log: " + event.getFormattedMessage());
    // Netty and Vert.x warn of exceptions that nothing handles.
    boolean unhandled =
        event.getThrowableProxy() != null && !event.getLoggerName().startsWith("sluice.");
    if (event.getLevel().isGreaterOrEqual(Level.ERROR) || unhandled) {
      String stack =
          event.getThrowableProxy() == null
              ? ""
              : "\n" + ThrowableProxyUtil.asString(event.getThrowableProxy());
      findings.accept("the log: " + event.getFormattedMessage() + stack);
    }
  }
}
