package sluice.load.process;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Command line of the gateway as a separate process, with the launcher's flags and this process's
 * class path.
 */
public final class GatewayCommand {
  private GatewayCommand() {}

  /**
   * The process, which the caller starts.
   *
   * @param flags additional JVM flags
   */
  public static ProcessBuilder process(Path configuration, List<String> flags) {
    ProcessBuilder process = new ProcessBuilder(command(configuration, flags));
    process.environment().putIfAbsent("MALLOC_ARENA_MAX", "1"); // as in the launcher
    return process;
  }

  private static List<String> command(Path configuration, List<String> flags) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Dio.netty.allocator.lowMemory=false",
            "-XX:MaxDirectMemorySize=512m",
            "-XX:+ExitOnOutOfMemoryError",
            "-XX:+UseSerialGC",
            "-Xmx256m",
            // the gateway's own configuration of logs, not that of the tests
            "-Dlogback.configurationFile=logback.xml"));
    if (Runtime.version().feature() >= 23) {
      command.add("--sun-misc-unsafe-memory-access=allow");
    }
    if (Runtime.version().feature() >= 22) {
      command.add("--enable-native-access=ALL-UNNAMED");
    }
    command.addAll(flags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of("sluice.gateway.cli.Main", "run", "-c", configuration.toString()));
    return command;
  }
}
