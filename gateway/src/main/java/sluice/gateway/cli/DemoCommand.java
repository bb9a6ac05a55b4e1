package sluice.gateway.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.io.PrintStream;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import sluice.gateway.demo.Demo;
import sluice.gateway.process.Gateway;

/** {@code sluice demo}: servers that fail, a gateway, and load. */
@Command(
    name = "demo",
    customSynopsis = "sluice demo [--rate N] [--seconds N]",
    description = {
      "Runs three servers, a gateway and clients, and makes servers fail.",
      "Nothing else is needed. The page shows how the gateway ejects a server that fails, and",
      "restores it."
    },
    exitCodeList = {
      "0:the demonstration has ended",
      "1:it could not start",
      "2:the command line is wrong"
    })
final class DemoCommand implements Callable<Integer> {
  private static final int HEALTHY_MILLIS = 20_000;
  private static final int DOWN_MILLIS = 8_000;

  private final PrintStream out;
  private final PrintStream err;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "2000",
      converter = RateConverter.class,
      description = "requests per second, 4 to 100000 (default: 2000)")
  private int rate;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      converter = SecondsConverter.class,
      description = "how long to run, 1 to 86400 (default: until interrupted)")
  private int seconds; // 0: without end

  DemoCommand(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  @Override
  public Integer call() throws InterruptedException {
    // Three of the gateways are the servers: their starts and ends are no news.
    if (LoggerFactory.getLogger(Gateway.class) instanceof Logger log) {
      log.setLevel(Level.WARN);
    }
    Demo demo = new Demo(out, rate, HEALTHY_MILLIS, DOWN_MILLIS);
    try {
      demo.start();
      Thread failing = new Thread(() -> fail(demo), "demo");
      failing.setDaemon(true);
      failing.start();
      failing.join(TimeUnit.SECONDS.toMillis(seconds));
      failing.interrupt();
      failing.join();
    } catch (IllegalStateException e) {
      err.println("sluice: demo: " + e.getMessage());
      return CommandLines.FAILED;
    } finally {
      demo.stop();
    }
    out.println(demo.replies() + " replies");
    return CommandLines.FINE;
  }

  /** Requests a second. */
  static final class RateConverter implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
      return CommandLines.number(text, 4, 100_000);
    }
  }

  /** The time that the demonstration lasts. */
  static final class SecondsConverter implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
      return CommandLines.number(text, 1, 86_400);
    }
  }

  private static void fail(Demo demo) {
    try {
      demo.fail();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
