package sluice.gateway.suite;

import io.vertx.core.Future;
import java.nio.file.Path;
import java.util.Locale;
import sluice.config.model.Configuration;
import sluice.config.model.ProcessConfig;
import sluice.config.model.Transport;
import sluice.gateway.process.Gateway;

/**
 * Starts gateways for tests. With {@code -Dsluice.test.transport=io_uring} those that do not name a
 * transport use that one, so that the whole suite can run on it.
 */
public final class Gateways {
  private static final String TRANSPORT = System.getProperty("sluice.test.transport", "auto");

  private Gateways() {}

  /** As {@link Gateway#start(Configuration)}. */
  public static Future<Gateway> start(Configuration configuration) {
    return Gateway.start(onTransport(configuration));
  }

  /** As {@link Gateway#start(Configuration, Path)}. */
  public static Future<Gateway> start(Configuration configuration, Path file) {
    return Gateway.start(onTransport(configuration), file);
  }

  private static Configuration onTransport(Configuration of) {
    ProcessConfig process = of.process();
    if (process.transport() != Transport.AUTO) {
      return of;
    }
    return new Configuration(
        of.admin(),
        new ProcessConfig(
            process.eventLoops(),
            Transport.valueOf(TRANSPORT.toUpperCase(Locale.ROOT)),
            process.drainMillis(),
            process.memoryBytes()),
        of.metrics(),
        of.listeners(),
        of.routes(),
        of.pools(),
        of.logs(),
        of.references());
  }
}
