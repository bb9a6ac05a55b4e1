package sluice.gateway.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jline.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import sluice.gateway.top.OtherPortException;
import sluice.gateway.top.Top;

/** {@code sluice top}: live numbers of a gateway, whichever answers at an admin port. */
@Command(
    name = "top",
    customSynopsis = "sluice top [--once] [--every SECONDS] [HOST:PORT]",
    description = {
      "Shows live numbers of the gateway whose admin port is at HOST:PORT.",
      "In a terminal, q quits, / filters servers and keys, and the bottom line lists the keys",
      "that change the order. If the output is not a terminal, it prints one screen after the",
      "other until it is interrupted or its output is closed."
    },
    exitCodeList = {
      "0:the user ended it, or it has shown one screen",
      "1:the admin port does not answer",
      "2:the command line is wrong"
    })
final class TopCommand implements Callable<Integer> {
  private final PrintStream out;
  private final PrintStream err;
  private final Supplier<Optional<Terminal>> terminal;

  @Option(names = "--once", description = "show one screen without colors, and exit: for scripts")
  private boolean once;

  @Option(
      names = "--every",
      paramLabel = "SECONDS",
      defaultValue = "2",
      converter = SecondsConverter.class,
      description = "time between two screens, 1 to 9999 (default: 2)")
  private int every;

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "HOST:PORT",
      defaultValue = "127.0.0.1:9901",
      converter = AddressConverter.class,
      description = "the admin port (default: 127.0.0.1:9901)")
  private String address;

  /**
   * @param terminal of the person who called it; empty if the output goes elsewhere
   */
  TopCommand(PrintStream out, PrintStream err, Supplier<Optional<Terminal>> terminal) {
    this.out = out;
    this.err = err;
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    try {
      Top top = new Top(address, (int) TimeUnit.SECONDS.toMillis(every));
      if (once) {
        out.print(top.once());
      } else {
        live(top);
      }
      return CommandLines.FINE;
    } catch (OtherPortException e) {
      err.println("sluice: " + address + ": " + e.getMessage());
      return CommandLines.FAILED;
    } catch (IOException e) {
      err.println("sluice: the admin port at " + address + " does not answer: " + e.getMessage());
      return CommandLines.FAILED;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return CommandLines.FAILED;
    }
  }

  private void live(Top top) throws IOException, InterruptedException {
    Optional<Terminal> opened = terminal.get();
    if (opened.isPresent()) {
      try (Terminal screen = opened.get()) {
        top.interactive(screen);
      }
      return;
    }
    top.live(
        screen -> {
          out.print(screen);
          return !out.checkError(); // the reader of the pipe is gone
        });
  }

  /** Whole seconds. */
  static final class SecondsConverter implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String value) {
      return CommandLines.number(value, 1, 9999);
    }
  }

  /** Address of an HTTP server. */
  static final class AddressConverter implements ITypeConverter<String> {
    @Override
    public String convert(String value) {
      if (!value.matches("(\\[[0-9a-fA-F:]+]|[A-Za-z0-9_.-]+):[0-9]{1,5}")) {
        throw CommandLines.expected("a host and a port, such as 127.0.0.1:9901");
      }
      return value;
    }
  }
}
