package sluice.config;

import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import sluice.config.model.Configuration;
import sluice.config.problems.Problem;

/** Result of loading: a configuration, or all problems of the file. */
public final class LoadResult {
  private final Optional<Configuration> configuration;
  private final List<Problem> problems;
  private final List<Problem> warnings;
  private final List<Path> files;

  private LoadResult(
      Optional<Configuration> configuration,
      List<Problem> problems,
      List<Problem> warnings,
      List<Path> files) {
    this.configuration = configuration;
    this.problems = List.copyOf(problems);
    this.warnings = List.copyOf(warnings);
    this.files = List.copyOf(files);
  }

  static LoadResult of(Configuration configuration, List<Problem> warnings) {
    return new LoadResult(Optional.of(configuration), List.of(), warnings, List.of());
  }

  static LoadResult refused(List<Problem> problems) {
    return new LoadResult(Optional.empty(), problems, List.of(), List.of());
  }

  LoadResult readFrom(List<Path> all) {
    return new LoadResult(configuration, problems, warnings, List.copyOf(new LinkedHashSet<>(all)));
  }

  /**
   * Every file that was read or searched for, each once: the configuration file, and those that it
   * names. As long as none of them changes, loading gives the same result.
   */
  public List<Path> files() {
    return files;
  }

  /** Whether there is a configuration; if not, there are problems. */
  public boolean isValid() {
    return configuration.isPresent();
  }

  /** The problems in the order of the file; empty if {@link #isValid()}. */
  public List<Problem> problems() {
    return problems;
  }

  /** Warnings about settings that are valid but probably unintended, in the order of the file. */
  public List<Problem> warnings() {
    return warnings;
  }

  /**
   * The configuration.
   *
   * @throws IllegalStateException naming every problem, if there are any
   */
  public Configuration configuration() {
    return configuration.orElseThrow(
        () ->
            new IllegalStateException(
                String.join("\n", problems.stream().map(Problem::toString).toList())));
  }
}
