package sluice.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.OutputStream;
import java.io.PrintStream;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import sluice.gateway.cli.Tool;

/** Tool {@code load}, available where this module is on the gateway's class path: in the image. */
public final class LoadTool implements Tool {
  @Override
  public String name() {
    return "load";
  }

  @Override
  public CommandSpec command() {
    return LoadCommand.commandLine(new PrintStream(OutputStream.nullOutputStream(), false, UTF_8))
        .getCommandSpec();
  }

  @Override
  public int run(PrintStream out, List<String> arguments) throws Exception {
    return LoadCommand.run(out, arguments.toArray(String[]::new));
  }
}
