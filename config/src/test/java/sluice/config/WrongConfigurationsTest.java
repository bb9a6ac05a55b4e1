package sluice.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Files with one mistake each, and what {@code sluice check} prints about them: the line, a caret
 * below its column, and a suggestion.
 */
class WrongConfigurationsTest {
  @TempDir static Path directory;

  /** A file of the directory {@code wrong}, and the report about it. */
  record Wrong(String name, List<String> report) {
    @Override
    public String toString() {
      return name;
    }
  }

  @BeforeAll
  static void writeFiles() throws Exception {
    X509Bundle node =
        new CertificateBuilder()
            .subject("CN=node")
            .setIsCertificateAuthority(true)
            .buildSelfSigned();
    X509Bundle other = new CertificateBuilder().subject("CN=other").buildIssuedBy(node);
    Files.writeString(directory.resolve("node.crt"), node.getCertificatePEM());
    Files.writeString(directory.resolve("ca.crt"), node.getCertificatePEM());
    Files.writeString(directory.resolve("node.key"), node.getPrivateKeyPEM());
    Files.writeString(directory.resolve("other.key"), other.getPrivateKeyPEM());
  }

  private static String resource(String name) throws IOException {
    try (InputStream in = WrongConfigurationsTest.class.getResourceAsStream("wrong/" + name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  static Stream<Wrong> wrong() throws IOException {
    return Arrays.stream(resource("reports.txt").split("(?m)^=== "))
        .skip(1)
        .map(text -> text.lines().toList())
        .map(lines -> new Wrong(lines.get(0), lines.subList(1, lines.size())));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("wrong")
  void shouldPointAtTheMistakeAndSuggestWhatWasMeant(Wrong wrong) throws IOException {
    Path file = directory.resolve(wrong.name());
    Files.writeString(file, resource(wrong.name()));
    List<String> report = CheckReport.of(Loader.load(file), file).problems();
    assertThat(report.stream().map(line -> line.replace(directory + "/", "")))
        .containsExactlyElementsOf(wrong.report());
  }

  /** Else a mistake could hide in what all of the files share. */
  @Test
  void shouldTakeTheFileWithoutAMistake() throws IOException {
    Path file = directory.resolve("right.yaml");
    Files.writeString(file, resource("right.yaml"));
    CheckReport report = CheckReport.of(Loader.load(file), file);
    assertThat(report.problems()).isEmpty();
    assertThat(report.warnings()).isEmpty();
  }

  @Test
  void shouldHaveAReportForEachFile() throws Exception {
    Path files = Path.of(WrongConfigurationsTest.class.getResource("wrong/right.yaml").toURI());
    try (Stream<Path> all = Files.list(files.resolveSibling("."))) {
      assertThat(
              all.map(each -> each.getFileName().toString()).filter(name -> name.endsWith(".yaml")))
          .containsExactlyInAnyOrderElementsOf(
              Stream.concat(Stream.of("right.yaml"), wrong().map(Wrong::name)).toList())
          .hasSizeGreaterThan(31);
    }
  }
}
