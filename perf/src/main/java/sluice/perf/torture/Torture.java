package sluice.perf.torture;

import sluice.names.build.AllowedHere;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;

/**
 * {@code ./sluice torture}: see {@link Options#USAGE}. Exit code 0 if all checks passed, 1 if one
 * did not, 2 if the command line is wrong.
 */
@AllowedHere("a command line writes to its terminal")
public final class Torture {
  private Torture() {}

  /** Runs one. */
  public static void main(String[] arguments) throws Exception {
    System.exit(run(System.out, arguments));
  }

  /** Runs one and prints to out. */
  static int run(PrintStream out, String... arguments) throws Exception {
    Options options;
    List<String> given = Arrays.asList(arguments);
    if (given.contains("--help")) {
      out.print(Options.USAGE);
      return 0;
    }
    try {
      options = Options.parse(given);
    } catch (IllegalArgumentException e) {
      out.println("sluice: torture: " + e.getMessage());
      out.print(Options.USAGE);
      return 2;
    }
    return new Run(options, out).run() ? 0 : 1;
  }
}
