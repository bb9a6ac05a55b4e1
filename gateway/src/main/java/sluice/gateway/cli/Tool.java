package sluice.gateway.cli;

import java.io.PrintStream;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Command that is not part of the gateway, found on the class path ({@link
 * java.util.ServiceLoader}): the image has some, where a clone has scripts.
 */
public interface Tool {
  /** The command's name, as it is typed. */
  String name();

  /** The model of its command line, for the manual. */
  CommandSpec command();

  /**
   * Runs it.
   *
   * @param arguments behind the name
   * @return the process's exit code
   */
  int run(PrintStream out, List<String> arguments) throws Exception;
}
