package sluice.gateway.cli;

import java.io.PrintStream;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import sluice.config.Schema;

/** {@code sluice schema}: the JSON Schema of the configuration file. */
@Command(
    name = "schema",
    customSynopsis = "sluice schema",
    description = {
      "Prints the JSON Schema of the configuration file.",
      "Editors complete and check a file with it."
    },
    exitCodeList = {"0:the schema was printed", "2:the command line is wrong"})
final class SchemaCommand implements Callable<Integer> {
  private final PrintStream out;

  SchemaCommand(PrintStream out) {
    this.out = out;
  }

  @Override
  public Integer call() {
    out.print(Schema.json());
    return CommandLines.FINE;
  }
}
