package sluice.gateway.cli;

import java.io.PrintStream;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import sluice.config.LoadResult;
import sluice.config.Loader;
import sluice.config.model.Configuration;

/** The configuration file of a command; what is wrong with it goes to the terminal. */
final class Configurations {
  private final PrintStream err;

  Configurations(PrintStream err) {
    this.err = err;
  }

  /** Reads a file. Null if it is not valid: its problems are printed then. */
  @Nullable Configuration load(Path file) {
    LoadResult result = Loader.load(file);
    if (result.isValid()) {
      warn(result);
      return result.configuration();
    }
    result.problems().forEach(err::println);
    return null;
  }

  /** Prints warnings to stderr, where they change nothing of what a script reads. */
  void warn(LoadResult result) {
    result.warnings().forEach(warning -> err.println("warning: " + warning));
  }
}
