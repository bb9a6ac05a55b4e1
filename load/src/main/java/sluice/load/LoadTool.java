package sluice.load;

import java.io.PrintStream;
import java.util.List;
import sluice.gateway.cli.Tool;

/** Tool {@code load}, available where this module is on the gateway's class path: in the image. */
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
