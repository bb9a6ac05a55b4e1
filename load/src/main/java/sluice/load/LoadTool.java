package sluice.load;

import java.io.PrintStream;
import java.util.List;
import sluice.gateway.cli.Tool;

/** {@code load}, where this is on the class path of the gateway: in the image. */
public final class LoadTool implements Tool {
  @Override
  public String name() {
    return "load";
  }

  @Override
  public int run(PrintStream out, List<String> arguments) throws Exception {
    return LoadCommand.run(out, arguments.toArray(String[]::new));
  }
}
