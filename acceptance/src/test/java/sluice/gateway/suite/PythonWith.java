package sluice.gateway.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import sluice.gateway.fixtures.Programs;

/** The suite's Python scripts, run by an interpreter that has what they import. */
final class PythonWith {
  /** The first one of the path may be somebody's own; Debian's packages belong to Debian's. */
  private static final List<String> INTERPRETERS = List.of("python3", "/usr/bin/python3");

  private PythonWith() {}

  /** The command of an interpreter that can import the module. */
  static List<String> module(String module) {
    for (String interpreter : INTERPRETERS) {
      List<String> command = List.of(interpreter, "-c", "import " + module);
      if (canRun(command)) {
        return List.of(interpreter);
      }
    }
    throw new IllegalStateException(
        "none of "
            + INTERPRETERS
            + " can import "
            + module
            + "; `./sluice test` installs what has it before it runs the tests");
  }

  /**
   * Runs a script of src/test/python; it tells of a failure by its exit code and what it writes.
   */
  static void run(List<String> python, String script, Duration limit, String... arguments) {
    List<String> command = new ArrayList<>(python);
    command.add(Path.of("src", "test", "python", script).toAbsolutePath().toString());
    command.addAll(List.of(arguments));
    Programs.Result result = Programs.run(limit, command);
    assertThat(result.exitCode()).as(result.output()).isZero();
    assertThat(result.output()).containsPattern("\\d+ operations, all as expected\n$");
  }

  private static boolean canRun(List<String> command) {
    try {
      return Programs.run(Duration.ofSeconds(30), command).exitCode() == 0;
    } catch (UncheckedIOException e) {
      return false; // no such interpreter
    }
  }
}
