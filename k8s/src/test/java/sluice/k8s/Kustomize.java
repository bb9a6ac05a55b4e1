package sluice.k8s;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Renders overlays, with kustomize or kubectl where there is one. */
record Kustomize(List<String> command) {
  /** {@code -Dsluice.kustomize=FILE}, else what is on the path. */
  static Optional<Kustomize> find() {
    String named = System.getProperty("sluice.kustomize", "");
    if (!named.isEmpty()) {
      return Optional.of(new Kustomize(List.of(named, "build")));
    }
    for (String directory : System.getenv("PATH").split(":")) {
      if (Files.isExecutable(Path.of(directory, "kustomize"))) {
        return Optional.of(new Kustomize(List.of(directory + "/kustomize", "build")));
      }
    }
    Kustomize kubectl = new Kustomize(List.of("kubectl", "kustomize"));
    try { // one that is too old for components renders nothing
      kubectl.render(Manifests.ROOT.resolve("overlays/production"));
      return Optional.of(kubectl);
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** The objects of overlay; an {@link IOException} that says why there are none. */
  List<Map<String, Object>> render(Path overlay) throws IOException {
    Path errors = Files.createTempFile("kustomize", ".err");
    try {
      List<String> words = new ArrayList<>(command);
      words.add(overlay.toString());
      Process process = new ProcessBuilder(words).redirectError(errors.toFile()).start();
      String rendered = new String(process.getInputStream().readAllBytes(), UTF_8);
      if (process.waitFor() != 0) {
        throw new IOException(Files.readString(errors));
      }
      return Manifests.parse(rendered);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    } finally {
      Files.delete(errors);
    }
  }
}
