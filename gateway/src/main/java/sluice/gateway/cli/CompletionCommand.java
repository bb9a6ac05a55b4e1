package sluice.gateway.cli;

import java.io.PrintStream;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code sluice completion}: the script that completes command lines in a shell. */
@Command(
    name = "completion",
    customSynopsis = "sluice completion",
    description = {
      "Prints a script for bash and zsh that completes command lines.",
      "Use it with: source <(sluice completion)"
    },
    exitCodeList = {"0:the script was printed", "2:the command line is wrong"})
final class CompletionCommand implements Callable<Integer> {
  private final PrintStream out;
  private final Supplier<CommandLine> all;

  CompletionCommand(PrintStream out, Supplier<CommandLine> all) {
    this.out = out;
    this.all = all;
  }

  @Override
  public Integer call() {
    out.print(AutoComplete.bash("sluice", all.get()));
    return CommandLines.FINE;
  }
}
