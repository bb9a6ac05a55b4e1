package sluice.perf.pingpong;

import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.io.PrintStream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import sluice.gateway.cli.CommandLines;
import sluice.names.build.AllowedHere;

/**
 * Round trips in a closed loop, between two processes with one event loop each: every connection
 * has one message under way, which the other process sends back as it came. What it costs is what a
 * request costs at least on a transport, on each side of it.
 *
 * <p>Every byte that comes back is compared.
 */
@AllowedHere("a command line writes to its terminal")
@Command(
    name = "PingPong",
    customSynopsis = {
      "PingPong echo --transport TRANSPORT --at PLACE",
      "PingPong drive --transport TRANSPORT --at PLACE [ARGUMENT]..."
    },
    description = {
      "Measures round trips between two processes: an echo, and a driver that sends to it.",
      "PingPong echo --help and PingPong drive --help show the options."
    },
    commandListHeading = "%n",
    exitCodeList = {
      "0:all that came back was right",
      "1:a wrong byte or a lost connection, or it could not listen",
      "2:the command line is wrong",
      "3:this machine does not have the transport"
    })
public final class PingPong {
  private PingPong() {}

  /** Runs one side. */
  public static void main(String[] arguments) {
    InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
    System.exit(run(System.out, arguments));
  }

  /** Runs one side and prints to out. */
  static int run(PrintStream out, String... arguments) {
    return commandLine(out).execute(arguments);
  }

  static CommandLine commandLine(PrintStream out) {
    CommandSpec both = CommandSpec.forAnnotatedObject(new PingPong());
    both.addSubcommand("echo", CommandSpec.forAnnotatedObject(new EchoSide(out)));
    both.addSubcommand("drive", CommandSpec.forAnnotatedObject(new DriveSide(out)));
    return CommandLines.of(both, out, out);
  }
}
