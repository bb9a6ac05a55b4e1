package sluice.perf.simulation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import sluice.perf.simulation.system.Simulator;

/**
 * Configuration file of a gateway, which the gateway watches. It is replaced at once or in steps,
 * and may be missing or broken meanwhile.
 */
final class ConfigurationFile {
  private static final String BROKEN = "pools: {broken: {servers: [\n";

  private final Simulator simulator;
  private final RandomGenerator random;
  private final String name;
  private final Path path;
  private String content = ""; // when all changes are done
  private int changes; // and starts of the gateway
  private boolean changing;

  ConfigurationFile(Simulator simulator, String host) {
    this.simulator = simulator;
    random = simulator.stream();
    name = host + ".yaml";
    path = TemporaryFiles.file(name);
  }

  Path path() {
    return path;
  }

  /** Writes it before the gateway starts. */
  void begin(String yaml) {
    changes++;
    changing = false;
    content = yaml;
    write(yaml);
  }

  /**
   * Changes it, unless a change is in progress.
   *
   * @param then called when it has its last content
   */
  void change(String yaml, Runnable then) {
    if (changing || yaml.equals(content)) {
      return;
    }
    content = yaml;
    changes++;
    simulator.trace("the file changes", name.hashCode(), yaml.hashCode());
    switch (random.nextInt(5)) {
      case 0 -> { // it is renamed over the old one
        move(TemporaryFiles.write(name + ".next", Certificates.in(yaml)));
        then.run();
      }
      case 1 -> {
        write(yaml.substring(0, random.nextInt(yaml.length())));
        later(yaml, then);
      }
      case 2 -> {
        delete();
        later(yaml, then);
      }
      case 3 -> {
        write(random.nextBoolean() ? BROKEN : yaml + BROKEN);
        later(yaml, then);
      }
      default -> {
        write(yaml);
        then.run();
      }
    }
  }

  private void later(String yaml, Runnable then) {
    changing = true;
    int number = changes;
    simulator.after(
        random.nextLong(TimeUnit.SECONDS.toNanos(5)),
        () -> {
          if (number == changes) {
            changing = false;
            write(yaml);
            then.run();
          }
        });
  }

  /** The number of changes so far. */
  int changes() {
    return changes;
  }

  private void write(String yaml) {
    TemporaryFiles.write(name, Certificates.in(yaml));
  }

  private void move(Path next) {
    try {
      Files.move(next, path, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException("a file of a simulation could not be renamed", e);
    }
  }

  private void delete() {
    try {
      Files.delete(path);
    } catch (IOException e) {
      throw new UncheckedIOException("a file of a simulation could not be deleted", e);
    }
  }
}
