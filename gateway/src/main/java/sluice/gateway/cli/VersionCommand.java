package sluice.gateway.cli;

import java.io.PrintStream;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import sluice.names.Version;

/** {@code sluice version}: the versions of Sluice and of the Java that runs it. */
@Command(
    name = "version",
    customSynopsis = "sluice version",
    description = {
      "Prints the version.",
      "The version of Java that runs Sluice follows it. sluice --version does the same."
    },
    exitCodeList = {"0:the version was printed", "2:the command line is wrong"})
final class VersionCommand implements Callable<Integer> {
  private final PrintStream out;

  VersionCommand(PrintStream out) {
    this.out = out;
  }

  @Override
  public Integer call() {
    out.println("sluice " + Version.current() + " (Java " + Runtime.version() + ")");
    return CommandLines.FINE;
  }
}
