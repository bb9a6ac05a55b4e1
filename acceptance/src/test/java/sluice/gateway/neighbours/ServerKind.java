package sluice.gateway.neighbours;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import sluice.gateway.fixtures.RealMemcached;
import sluice.testkit.model.Lines;
import sluice.testkit.model.ModelServer;
import sluice.testkit.model.Server;

/**
 * Something that starts servers of one version.
 *
 * @param version as the server says it, such as 1.6.18
 * @param path of its program; null for the one that is installed, and for a model
 * @param model how a model of it reads lines; null for the real one
 */
record ServerKind(String version, Path path, Lines model) {
  /** Paths of further versions, separated by commas. */
  static final String FURTHER = "SLUICE_TEST_MEMCACHED";

  /** The installed memcached, and those of {@value #FURTHER}. */
  static List<ServerKind> all() {
    List<ServerKind> all = new ArrayList<>();
    all.add(new ServerKind(RealMemcached.versionOf(null), null, null));
    String further = System.getenv(FURTHER);
    if (further != null && !further.isBlank()) {
      for (String path : further.split(",", -1)) {
        Path program = Path.of(path.strip());
        all.add(new ServerKind(RealMemcached.versionOf(program), program, null));
      }
    }
    return all;
  }

  /** A model of each way to read lines. */
  static List<ServerKind> models() {
    return Arrays.stream(Lines.values()).map(ServerKind::model).toList();
  }

  static ServerKind model(Lines lines) {
    return new ServerKind(lines.version(), null, lines);
  }

  /** Whether it has the binary protocol. */
  boolean knowsBinary() {
    return model == null;
  }

  /** Starts one. */
  Server start() throws IOException {
    if (model != null) {
      return new ModelServer(model);
    }
    RealMemcached memcached = RealMemcached.startProgram(path);
    return new Server() {
      @Override
      public InetSocketAddress address() {
        return memcached.address();
      }

      @Override
      public void close() throws IOException {
        memcached.close();
      }
    };
  }

  /** Whether it has meta commands as they are today. */
  boolean knowsMeta() {
    return atLeast(6, 0);
  }

  /** Whether it is 1.minor.patch or newer. */
  boolean atLeast(int minor, int patch) {
    String[] parts = version.split("\\.", -1);
    int ownMinor = Integer.parseInt(parts[1]);
    return ownMinor > minor || (ownMinor == minor && Integer.parseInt(parts[2]) >= patch);
  }

  @Override
  public String toString() {
    return model == null ? version : "model of " + version;
  }
}
