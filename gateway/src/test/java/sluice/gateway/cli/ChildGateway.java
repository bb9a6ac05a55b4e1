package sluice.gateway.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A gateway in a process of its own, with the settings of one that is installed. */
final class ChildGateway {
  private ChildGateway() {}

  /**
   * Starts one.
   *
   * @param file its configuration
   * @param log what it prints is written here
   * @param launcher the beginning of the command, which is to become the rest of it
   */
  static Process start(Path file, Path log, String... launcher) throws IOException {
    List<String> command = new ArrayList<>(List.of(launcher));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Dio.netty.allocator.lowMemory=false");
    command.add("-Dlogback.configurationFile=logback.xml"); // not that of the tests
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(List.of("run", "-c", file.toString()));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(log.toFile())
        .start();
  }
}
