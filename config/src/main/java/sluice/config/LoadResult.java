package sluice.config;

import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import sluice.config.model.Configuration;
import sluice.config.problems.Problem;

/** Result of loading: a configuration, or all problems of the file. */
public final class LoadResult {
  private final Optional<Configuration> configuration;
  private final List<Problem> problems;
  private final List<Problem> warnings;
  private final List<Path> files;
  private final Map<String, String> binds;

  private LoadResult(
      Optional<Configuration> configuration,
      List<Problem> problems,
      List<Problem> warnings,
      List<Path> files,
      Map<String, String> binds) {
    this.configuration = configuration;
    this.problems = List.copyOf(problems);
    this.warnings = List.copyOf(warnings);
    this.files = List.copyOf(files);
    this.binds = Map.copyOf(binds);
  }

  /**
   * A configuration.
   *
   * @param binds where each address to listen on is written, by the path of its setting
   */
  static LoadResult of(
      Configuration configuration, List<Problem> warnings, Map<String, String> binds) {
    return new LoadResult(Optional.of(configuration), List.of(), warnings, List.of(), binds);
  }

  static LoadResult refused(List<Problem> problems) {
    return new LoadResult(Optional.empty(), problems, List.of(), List.of(), Map.of());
  }

  LoadResult readFrom(List<Path> all) {
    return new LoadResult(
        configuration, problems, warnings, List.copyOf(new LinkedHashSet<>(all)), binds);
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
   * A message about an address that cannot be listened on, which begins with the path of the
   * setting; if the setting is in the file, its place comes first.
   */
  public String located(String message) {
    int end = message.indexOf(": ");
    String place = end < 0 ? null : binds.get(message.substring(0, end));
    return place == null ? message : place + ": " + message;
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
