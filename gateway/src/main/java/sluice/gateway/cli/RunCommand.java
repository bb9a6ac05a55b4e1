package sluice.gateway.cli;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import sluice.config.LoadResult;
import sluice.config.Loader;
import sluice.gateway.process.Gateway;

/** {@code sluice run}: a gateway that serves until it is told to stop. */
@Command(
    name = "run",
    customSynopsis = "sluice run [-c FILE]",
    description = {
      "Serves until SIGTERM or SIGINT, then drains.",
      "A changed FILE takes effect without a restart; SIGHUP applies it immediately. When every",
      "address is bound, one log line names them all."
    },
    exitCodeList = {
      "0:it stopped on request, after a drain",
      "1:it could not start; for example, an address is in use",
      "2:the command line or FILE is wrong"
    })
final class RunCommand implements Callable<Integer> {
  private static final Logger LOG = LoggerFactory.getLogger(RunCommand.class);
  private static final String BIND = "SLUICE_BIND";
  private static final String LOOPBACK = "127.0.0.1";
  private static final String LOG_FORMAT = "SLUICE_LOG_FORMAT";
  private static final Set<String> LOG_FORMATS = Set.of("text", "json");

  private final Configurations configurations;
  private final PrintStream err;

  @Option(
      names = "-c",
      paramLabel = "FILE",
      description = {
        "the configuration. Without it: memcached on 127.0.0.1:11211",
        "from an embedded store, admin on 127.0.0.1:9901; the",
        "environment variable SLUICE_BIND replaces 127.0.0.1"
      })
  private @Nullable Path file;

  RunCommand(PrintStream err) {
    this.err = err;
    configurations = new Configurations(err);
  }

  @Override
  public Integer call() {
    String format = System.getenv().getOrDefault(LOG_FORMAT, "text");
    if (!LOG_FORMATS.contains(format)) {
      err.println("sluice: " + LOG_FORMAT + ": found " + format + ", expected text or json");
      return CommandLines.WRONG;
    }
    // First of all: until then SIGHUP ends the process. One that comes early is not lost.
    CompletableFuture<Gateway> started = new CompletableFuture<>();
    Hangup.calls(() -> started.thenAccept(Gateway::reload));
    LoadResult loaded = file == null ? withoutFile() : configurations.read(file);
    return loaded != null && loaded.isValid() ? serve(loaded, started) : CommandLines.WRONG;
  }

  private @Nullable LoadResult withoutFile() {
    String host = System.getenv().getOrDefault(BIND, LOOPBACK);
    LoadResult result = Loader.embeddedDefault(host);
    if (!result.isValid()) {
      err.println(
          "sluice: " + BIND + ": found " + host + ", expected an IP address or a host name");
      return null;
    }
    if (!host.equals(LOOPBACK)) {
      LOG.info(
          "no configuration file: an embedded store serves memcached clients on {} ({});"
              + " any client that can reach this address may use it",
          host,
          BIND);
    }
    return result;
  }

  private int serve(LoadResult loaded, CompletableFuture<Gateway> started) {
    AtomicInteger code = new AtomicInteger(CommandLines.FINE);
    CountDownLatch done = new CountDownLatch(1);
    Gateway.start(loaded.configuration(), file, gateway -> drainAtExit(gateway, done))
        .onSuccess(
            gateway -> {
              started.complete(gateway);
              gateway.stopped().onComplete(stopped -> done.countDown());
            })
        .onFailure(
            failure -> {
              err.println("sluice: " + place(loaded, failure));
              code.set(CommandLines.FAILED);
              done.countDown();
            });
    try {
      done.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return code.get();
  }

  /** Without a file, no place is known to the user. */
  private String place(LoadResult loaded, Throwable failure) {
    String message = String.valueOf(failure.getMessage());
    return file == null ? message : loaded.located(message);
  }

  /**
   * Drains the gateway when a signal ends the process, also while it binds its listeners: it may
   * have clients already.
   *
   * @param done the gateway has ended, and there is nothing to drain
   */
  private static void drainAtExit(Gateway gateway, CountDownLatch done) {
    Thread drain =
        new Thread(
            () -> {
              if (done.getCount() == 0) {
                return;
              }
              CountDownLatch drained = new CountDownLatch(1);
              gateway.drain().onComplete(end -> drained.countDown());
              try {
                drained.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              // The JVM would end with 143; the signal requested a clean end.
              Runtime.getRuntime().halt(CommandLines.FINE);
            },
            "drain");
    try {
      Runtime.getRuntime().addShutdownHook(drain);
    } catch (IllegalStateException theProcessEnds) {
      LOG.debug("told to stop before it had clients");
    }
  }
}
