package sluice.gateway.cli;

import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import sluice.names.Version;

/** {@code sluice man}: the manual page. */
@Command(
    name = "man",
    customSynopsis = "sluice man",
    description = {
      "Prints the manual page.",
      "It is in the format of man(1). Read it with: sluice man | man -l -"
    },
    exitCodeList = {"0:the page was printed", "2:the command line is wrong"})
final class ManCommand implements Callable<Integer> {
  private final PrintStream out;
  private final Supplier<List<CommandSpec>> commands;

  ManCommand(PrintStream out, Supplier<List<CommandSpec>> commands) {
    this.out = out;
    this.commands = commands;
  }

  @Override
  public Integer call() {
    out.print(ManPage.of(Version.current(), commands.get()));
    return CommandLines.FINE;
  }
}
