package sluice.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * An image in the form of {@code docker save}: a tar of {@code manifest.json}, a configuration and
 * layers that are tars themselves.
 */
final class ImageFile {
  private final Path directory;
  private final Map<?, ?> manifest;
  private final Map<?, ?> configuration;

  /** Unpacks file into directory, which must be empty. */
  ImageFile(Path file, Path directory) throws IOException {
    this.directory = directory;
    Command.of("tar", "-xf", file.toString(), "-C", directory.toString()).succeeds();
    manifest = (Map<?, ?>) ((List<?>) json("manifest.json")).get(0);
    configuration = (Map<?, ?>) json((String) manifest.get("Config"));
  }

  private Object json(String name) throws IOException {
    // JSON is YAML.
    return new Load(LoadSettings.builder().build())
        .loadFromString(Files.readString(directory.resolve(name)));
  }

  /** The name and tag under which a container runtime knows it. */
  String tag() {
    return (String) ((List<?>) manifest.get("RepoTags")).get(0);
  }

  Object architecture() {
    return configuration.get("architecture");
  }

  /** What a container is started with, such as {@code Entrypoint} and {@code User}. */
  Map<?, ?> container() {
    return (Map<?, ?>) configuration.get("config");
  }

  /** The command line of a container that is started with arguments. */
  List<String> commandLine(List<String> arguments) {
    List<String> all = new java.util.ArrayList<>();
    ((List<?>) container().get("Entrypoint")).forEach(word -> all.add((String) word));
    all.addAll(arguments);
    return all;
  }

  /** Puts the layers over each other in root, which must be empty. */
  void unpack(Path root) throws IOException {
    for (Object layer : (List<?>) manifest.get("Layers")) {
      Command.of(
              "tar", "-xzpf", directory.resolve((String) layer).toString(), "-C", root.toString())
          .succeeds();
    }
  }
}
