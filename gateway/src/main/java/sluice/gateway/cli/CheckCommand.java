package sluice.gateway.cli;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import sluice.config.LoadResult;
import sluice.config.Loader;

/** {@code sluice check}: every problem of a configuration file. */
@Command(
    name = "check",
    customSynopsis = "sluice check -c FILE",
    description = {
      "Prints every problem of FILE.",
      "A problem is one line: FILE:line:column: path: found X, expected Y.",
      "Warnings go to stderr, and leave the exit code at 0."
    },
    exitCodeList = {"0:FILE is valid", "2:the command line or FILE is wrong"})
final class CheckCommand implements Callable<Integer> {
  private final PrintStream out;
  private final Configurations configurations;

  @Option(
      names = "-c",
      paramLabel = "FILE",
      required = true,
      description = "the configuration to check")
  private Path file;

  CheckCommand(PrintStream out, PrintStream err) {
    this.out = out;
    configurations = new Configurations(err);
  }

  @Override
  public Integer call() {
    LoadResult result = Loader.load(file);
    result.problems().forEach(out::println);
    configurations.warn(result);
    return result.isValid() ? CommandLines.FINE : CommandLines.WRONG;
  }
}
