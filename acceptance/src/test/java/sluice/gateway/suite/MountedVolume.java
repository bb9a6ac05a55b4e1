package sluice.gateway.suite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;

/**
 * A directory as the kubelet mounts a ConfigMap or a Secret: {@code NAME -> ..data/NAME} and {@code
 * ..data -> ..TIMESTAMP}. An update is what the kubelet does, in its order: a new directory, {@code
 * ..data_tmp} renamed over {@code ..data}, links added and removed, the old directory removed at
 * once, whoever reads it. The files of one update change together.
 */
final class MountedVolume {
  private static final String DATA = "..data";

  private final Path directory;
  private int generation;

  /** One that is mounted for the first time. */
  MountedVolume(Path directory, Map<String, String> files) throws IOException {
    this.directory = Files.createDirectories(directory);
    update(files);
  }

  /** Where a file is seen. */
  Path file(String name) {
    return directory.resolve(name);
  }

  /** What the files are from now on; others are gone. */
  void update(Map<String, String> files) throws IOException {
    Path data = directory.resolve(DATA);
    Path old = Files.exists(data) ? data.toRealPath() : null;
    Path next = Files.createDirectory(directory.resolve("..2026_11_22_00_00_00." + generation++));
    for (Map.Entry<String, String> file : files.entrySet()) {
      Files.writeString(next.resolve(file.getKey()), file.getValue());
    }
    Path link = Files.createSymbolicLink(directory.resolve("..data_tmp"), next.getFileName());
    Files.move(link, data, StandardCopyOption.ATOMIC_MOVE);
    for (String name : files.keySet()) {
      if (!Files.isSymbolicLink(file(name))) {
        Files.createSymbolicLink(file(name), Path.of(DATA, name));
      }
    }
    if (old != null) {
      try (var stale = Files.list(old)) {
        for (Path file : stale.toList()) {
          Files.delete(file);
          if (!files.containsKey(file.getFileName().toString())) {
            Files.delete(file(file.getFileName().toString()));
          }
        }
      }
      Files.delete(old);
    }
  }
}
