package sluice.gateway.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.status.Status;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What SLUICE_LOG_FORMAT makes of the process log. */
class LogFormatTest {
  private static final Path LOGBACK = Path.of("src", "main", "resources", "logback.xml");

  /** A line of the log; a context's property stands for the variable. */
  private static String line(String format, Throwable failure) throws Exception {
    LoggerContext context = new LoggerContext();
    if (format != null) {
      context.putProperty("SLUICE_LOG_FORMAT", format);
    }
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    configurator.doConfigure(LOGBACK.toFile());
    assertThat(context.getStatusManager().getCopyOfStatusList())
        .as("Logback prints all it did if there is a warning")
        .noneMatch(status -> status.getLevel() >= Status.WARN);
    Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    OutputStreamAppender<ILoggingEvent> appender =
        (OutputStreamAppender<ILoggingEvent>) root.iteratorForAppenders().next();
    LoggingEvent event =
        new LoggingEvent(
            "caller",
            context.getLogger("sluice.gateway.Some"),
            Level.WARN,
            "pool {}: \"{}\"",
            failure,
            new Object[] {"p", "why"});
    String line = new String(appender.getEncoder().encode(event), UTF_8);
    context.stop();
    return line;
  }

  @Test
  void shouldBeText() throws Exception {
    assertThat(line(null, null)).endsWith(" WARN  pool p: \"why\"\n");
    assertThat(line("text", null)).endsWith(" WARN  pool p: \"why\"\n");
  }

  @Test
  void shouldBeOneJsonObjectALine() throws Exception {
    String line = line("json", null);
    assertThat(line).endsWith("}\n").hasLineCount(1);
    JsonObject json = new JsonObject(line);
    assertThat(json.fieldNames())
        .containsExactlyInAnyOrder(
            "timestamp", "level", "loggerName", "formattedMessage", "throwable");
    assertThat(json.getLong("timestamp")).isPositive();
    assertThat(json.getString("level")).isEqualTo("WARN");
    assertThat(json.getString("loggerName")).isEqualTo("sluice.gateway.Some");
    assertThat(json.getString("formattedMessage")).isEqualTo("pool p: \"why\"");
  }

  @Test
  void shouldHaveTheStackOfAnException() throws Exception {
    String line = line("json", new IllegalStateException("broken"));
    assertThat(line).hasLineCount(1);
    JsonObject failure = new JsonObject(line).getJsonObject("throwable");
    assertThat(failure.getString("className")).isEqualTo("java.lang.IllegalStateException");
    assertThat(failure.getString("message")).isEqualTo("broken");
    assertThat(failure.getJsonArray("stepArray")).isNotEmpty();
  }
}
