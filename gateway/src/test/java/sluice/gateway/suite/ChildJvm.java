package sluice.gateway.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A main class of the tests in a JVM of its own, with the launcher's flags. */
public final class ChildJvm {
  private static final long MINUTES = 4;

  private ChildJvm() {}

  /**
   * Runs it to its end, which must be a good one.
   *
   * @return the lines that it printed
   */
  public static List<String> run(Path directory, Class<?> main, String... arguments)
      throws IOException, InterruptedException {
    return run(directory, List.of(), main, arguments);
  }

  /** As {@link #run(Path, Class, String...)}, with further flags of the JVM. */
  static List<String> run(Path directory, List<String> flags, Class<?> main, String... arguments)
      throws IOException, InterruptedException {
    Path output = directory.resolve("output");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Dio.netty.allocator.lowMemory=false", "-XX:MaxDirectMemorySize=512m"));
    if (Runtime.version().feature() >= 23) {
      command.add("--enable-native-access=ALL-UNNAMED");
      command.add("--sun-misc-unsafe-memory-access=allow");
    }
    command.addAll(flags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      boolean ended = process.waitFor(MINUTES, TimeUnit.MINUTES);
      List<String> lines = Files.readAllLines(output);
      assertThat(ended).as(String.join("\n", lines)).isTrue();
      assertThat(process.exitValue()).as(String.join("\n", lines)).isZero();
      return lines;
    } finally {
      process.destroyForcibly().waitFor();
    }
  }
}
