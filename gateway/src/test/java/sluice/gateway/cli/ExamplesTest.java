package sluice.gateway.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.config.Schema;
import sluice.gateway.tls.Certificates;

/** The files of {@code examples}, each as it stands there. */
class ExamplesTest {
  private static final Path EXAMPLES = Path.of("..", "examples");

  @TempDir private Path directory;

  static List<Path> examples() throws IOException {
    try (Stream<Path> files = Files.list(EXAMPLES)) {
      return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList();
    }
  }

  /** The files that the example with TLS names. */
  private void makeFiles() throws Exception {
    Path tls = Files.createDirectory(directory.resolve("tls"));
    Certificates.of(tls, "ca").issue("server");
    Files.writeString(tls.resolve("users"), "alice:secret\n");
    Files.writeString(tls.resolve("password"), "secret\n");
  }

  @ParameterizedTest
  @MethodSource("examples")
  void shouldBeValidWithoutAWarning(Path example) throws Exception {
    makeFiles();
    Path copy = Files.copy(example, directory.resolve(example.getFileName()));
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintStream both = new PrintStream(said, true, UTF_8);
    assertThat(new Main(both, both).run("check", "-c", copy.toString()))
        .as(said.toString(UTF_8))
        .isZero();
    assertThat(said.toString(UTF_8)).matches("ok: \\d listeners?, \\d pools?\n");
    assertThat(Files.readString(example))
        .startsWith("# yaml-language-server: $schema=sluice.schema.json\n# ");
  }

  @Test
  void shouldAllBeListed() throws IOException {
    String list = Files.readString(EXAMPLES.resolve("README.md"));
    assertThat(examples()).hasSizeGreaterThanOrEqualTo(10);
    for (Path example : examples()) {
      String name = example.getFileName().toString();
      assertThat(list).contains("[" + name + "](" + name + ")");
    }
  }

  @Test
  void shouldHaveTheSchemaBesideThem() {
    assertThat(EXAMPLES.resolve("sluice.schema.json")).hasContent(Schema.json());
  }
}
