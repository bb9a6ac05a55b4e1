package sluice.ring;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A release of Cassandra and where its jars are.
 *
 * @param version as Maven Central has it, {@code 5.0.9} or {@code 6.0-alpha2}
 * @param libraries the directory of {@code cassandra-all} and everything it needs
 */
record CassandraRelease(String version, Path libraries) {

  /**
   * The system property that names the releases to test: directories with the name of a version and
   * its jars in {@code lib}, separated by commas. {@code build-tools/cassandra} makes them.
   */
  static final String PROPERTY = "sluice.ring.cassandra";

  /** The releases that the property names, at least one. */
  static Stream<CassandraRelease> underTest() {
    String directories = System.getProperty(PROPERTY, "");
    if (directories.isBlank()) {
      throw new IllegalStateException(
          PROPERTY + " names no directory; ./sluice test fetches the jars and sets it");
    }
    return Stream.of(directories.split(",")).map(CassandraRelease::in);
  }

  /** Whether several releases are under test, as in a long run. */
  static boolean areSeveralUnderTest() {
    return underTest().count() > 1;
  }

  private static CassandraRelease in(String directory) {
    Path path = Path.of(directory).toAbsolutePath().normalize();
    Path libraries = path.resolve("lib");
    if (!Files.isDirectory(libraries)) {
      throw new IllegalStateException(
          PROPERTY + ": found no directory " + libraries + ", expected Cassandra's jars in it");
    }
    return new CassandraRelease(path.getFileName().toString(), libraries);
  }

  /**
   * The flags that a JVM 17 needs to run this release: what Cassandra's own {@code
   * jvm17-server.options} opens, and for 4.1, which never had one, what it stumbles over without.
   */
  List<String> jvmFlags() {
    List<String> flags = new ArrayList<>();
    exports(flags, "java.base/jdk.internal.misc", "java.base/java.lang.ref");
    exports(flags, "java.management.rmi/com.sun.jmx.remote.internal.rmi");
    exports(flags, "java.rmi/sun.rmi.registry", "java.rmi/sun.rmi.server");
    exports(flags, "jdk.unsupported/sun.misc");
    opens(flags, "java.lang", "java.lang.reflect", "java.lang.module", "java.io", "java.nio");
    opens(flags, "java.util", "sun.nio.ch", "jdk.internal.loader", "jdk.internal.ref");
    opens(flags, "jdk.internal.reflect", "jdk.internal.math", "jdk.internal.module");
    opens(flags, "jdk.internal.util.jar");
    flags.add("--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED");
    flags.add("-Djdk.attach.allowAttachSelf=true");
    flags.add("-Dio.netty.tryReflectionSetAccessible=true");
    if (version.startsWith("4.")) {
      flags.add("-javaagent:" + only("jamm-*.jar"));
      exports(flags, "java.sql/java.sql");
      opens(flags, "java.util.concurrent", "java.util.concurrent.atomic");
      opens(flags, "java.util.concurrent.locks", "java.util.stream", "java.util.function");
      opens(flags, "java.util.regex", "java.net", "java.time", "java.nio.charset");
      opens(flags, "java.nio.file", "java.security", "java.lang.invoke", "java.lang.ref");
      opens(flags, "java.text", "java.math", "sun.security.provider", "sun.nio.fs", "sun.nio.cs");
    }
    return flags;
  }

  private static void exports(List<String> flags, String... packages) {
    for (String one : packages) {
      flags.add("--add-exports=" + one + "=ALL-UNNAMED");
    }
  }

  private static void opens(List<String> flags, String... packages) {
    for (String one : packages) {
      flags.add("--add-opens=java.base/" + one + "=ALL-UNNAMED");
    }
  }

  private Path only(String glob) {
    try (var found = Files.newDirectoryStream(libraries, glob)) {
      return found.iterator().next();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return version;
  }
}
