package sluice.gateway.torture;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;
import sluice.testkit.Patience;

/** The lines of the access log while a test looks; the gateway's configuration turns it on. */
final class AccessLog extends AppenderBase<ILoggingEvent> implements AutoCloseable {
  private static final Logger LOGGER = (Logger) LoggerFactory.getLogger("sluice.log.access");

  private final List<JsonObject> lines = new CopyOnWriteArrayList<>();

  AccessLog() {
    start();
    LOGGER.addAppender(this);
  }

  @Override
  protected void append(ILoggingEvent event) {
    lines.add(new JsonObject(event.getFormattedMessage()));
  }

  /** The client of the only request with that key, as {@code host:port}. */
  String clientOf(String key) {
    List<String> clients =
        Patience.soon(() -> !clientsOf(key).isEmpty()) ? clientsOf(key) : List.of();
    if (clients.size() != 1) {
      throw new AssertionError(clients.size() + " lines of the key " + key + " in " + lines);
    }
    return clients.get(0);
  }

  private List<String> clientsOf(String key) {
    return lines.stream()
        .filter(line -> key.equals(line.getString("key")))
        .map(line -> line.getString("client"))
        .toList();
  }

  @Override
  public void close() {
    LOGGER.detachAppender(this);
    stop();
  }
}
