package sluice.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Main class that runs in a separate JVM, with the class path of this one. */
public final class ChildJvm {
  private ChildJvm() {}

  /**
   * Runs a main class to its end.
   *
   * @param options of the JVM
   * @return what it printed
   * @throws AssertionError with what it printed, if its exit code is not 0
   */
  public static String run(Class<?> main, String... options)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(options));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    int code = process.waitFor();
    if (code != 0) {
      throw new AssertionError(main.getName() + " ended with exit code " + code + ": " + output);
    }
    return output;
  }
}
