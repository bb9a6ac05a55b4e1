package sluice.gateway.neighbours;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import org.slf4j.LoggerFactory;

/** Errors that are logged, from when it was made until it is closed. */
final class Errors extends AppenderBase<ILoggingEvent> implements AutoCloseable {
  private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
  private volatile String first;

  Errors() {
    setContext(root.getLoggerContext());
    start();
    root.addAppender(this);
  }

  @Override
  protected void append(ILoggingEvent event) {
    if (event.getLevel().isGreaterOrEqual(Level.ERROR) && first == null) {
      String cause =
          event.getThrowableProxy() == null ? "" : event.getThrowableProxy().getMessage();
      first = event.getFormattedMessage() + ' ' + cause;
    }
  }

  /** The first of them, null if there is none. */
  String first() {
    return first;
  }

  @Override
  public void close() {
    root.detachAppender(this);
    stop();
  }
}
