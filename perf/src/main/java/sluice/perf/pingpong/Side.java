package sluice.perf.pingpong;

import java.io.PrintStream;
import java.util.Arrays;
import java.util.concurrent.Callable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import sluice.gateway.cli.CommandLines;

/** One of the two processes, on a transport that it has or has not. */
abstract class Side implements Callable<Integer> {
  /** Exit code where the kernel, or this machine, does not have the transport. */
  private static final int UNAVAILABLE = 3;

  final PrintStream out;

  @Option(
      names = "--transport",
      paramLabel = "TRANSPORT",
      required = true,
      converter = TransportConverter.class,
      description = "nio, epoll or io_uring")
  Transport transport;

  @Option(
      names = "--at",
      paramLabel = "PLACE",
      required = true,
      converter = PlaceConverter.class,
      description = "a port of the loopback address, or unix:PATH")
  String at;

  Side(PrintStream out) {
    this.out = out;
  }

  /** Runs this side; returns whether all went well. */
  abstract boolean run() throws Exception;

  @Override
  public final Integer call() throws Exception {
    String reason = transport.reasonAgainst();
    if (reason != null) {
      out.println("UNAVAILABLE: " + transport.label() + ": " + reason);
      return UNAVAILABLE;
    }
    return run() ? CommandLines.FINE : CommandLines.FAILED;
  }

  static final class TransportConverter implements ITypeConverter<Transport> {
    @Override
    public Transport convert(String value) {
      return Arrays.stream(Transport.values())
          .filter(transport -> transport.label().equals(value))
          .findFirst()
          .orElseThrow(() -> CommandLines.expected("nio, epoll or io_uring"));
    }
  }

  /** As {@link Transport#address} takes it. */
  static final class PlaceConverter implements ITypeConverter<String> {
    private static final int MOST = 65_535;

    @Override
    public String convert(String value) {
      boolean port = value.matches("[0-9]{1,5}") && Integer.parseInt(value) <= MOST;
      if (!port && !value.matches("(?s)unix:.+")) {
        throw CommandLines.expected("a port, or unix:PATH");
      }
      return value;
    }
  }
}
