package sluice.k8s;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Renders and judges charts, where there is a helm. */
record Helm(String command) {
  /** {@code -Dsluice.helm=FILE}, else what is on the path. */
  static Optional<Helm> find() {
    String named = System.getProperty("sluice.helm", "");
    if (!named.isEmpty()) {
      return Optional.of(new Helm(named));
    }
    return Stream.of(System.getenv("PATH").split(":"))
        .map(directory -> directory + "/helm")
        .filter(file -> Files.isExecutable(Path.of(file)))
        .findFirst()
        .map(Helm::new);
  }

  /** What it prints; an {@link IOException} with what it says where it fails. */
  String run(String... arguments) throws IOException {
    List<String> words = new ArrayList<>(List.of(command));
    words.addAll(List.of(arguments));
    Path errors = Files.createTempFile("helm", ".err");
    try {
      Process process =
          new ProcessBuilder(words)
              .directory(Manifests.ROOT.toFile())
              .redirectError(errors.toFile())
              .start();
      String output = new String(process.getInputStream().readAllBytes(), UTF_8);
      if (process.waitFor() != 0) {
        throw new IOException(output + Files.readString(errors));
      }
      return output;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    } finally {
      Files.delete(errors);
    }
  }
}
