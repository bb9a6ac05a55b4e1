package sluice.gateway.cli;

import java.io.PrintStream;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import sluice.config.CheckReport;
import sluice.config.LoadResult;
import sluice.config.Loader;
import sluice.config.model.Configuration;

/** Loader of a command's configuration file, which prints problems to the terminal. */
final class Configurations {
  private final PrintStream err;

  Configurations(PrintStream err) {
    this.err = err;
  }

  /** Reads a file. If it is invalid, prints its problems and returns null. */
  @Nullable Configuration load(Path file) {
    LoadResult result = read(file);
    return result.isValid() ? result.configuration() : null;
  }

  /** Reads a file. If it is invalid, prints its problems. */
  LoadResult read(Path file) {
    LoadResult result = Loader.load(file);
    CheckReport report = CheckReport.of(result, file);
    report.problems().forEach(err::println);
    report.warnings().forEach(err::println);
    return result;
  }
}
