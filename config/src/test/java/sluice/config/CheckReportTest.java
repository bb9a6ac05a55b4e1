package sluice.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckReportTest {
  private static final String REST =
      "listeners: {m: {bind: 127.0.0.1:0, route: m}}\nroutes: {m: [{pool: m}]}\n";

  @TempDir private Path directory;

  private CheckReport report(String text) throws IOException {
    Path file = Files.writeString(directory.resolve("f.yaml"), text);
    return CheckReport.of(Loader.load(file), file);
  }

  @Test
  void shouldShowTheLineWithACaret() throws IOException {
    List<String> lines = report(REST + "pools: {m: {protocol: redis}}\n").problems();
    assertThat(lines).hasSize(3);
    assertThat(lines.get(1)).isEqualTo("  3 | pools: {m: {protocol: redis}}");
    assertThat(lines.get(2)).isEqualTo("    |                       ^");
    assertThat(lines.get(1).indexOf("redis")).isEqualTo(lines.get(2).indexOf('^'));
  }

  @Test
  void shouldPointAtTheRightCharacterBehindWideOnesAndTabs() throws IOException {
    String before = "pools: {\"\uD83D\uDE00\": {protocol: \"\t\"}, m: {protocol: ";
    List<String> lines = report(REST + before + "redis}}\n").problems();
    assertThat(lines)
        .contains("  3 | " + before.replace('\t', ' ') + "redis}}")
        .contains("    | " + " ".repeat(before.codePointCount(0, before.length())) + "^");
  }

  @Test
  void shouldShowThePartOfALongLineThatIsWrong() throws IOException {
    String servers =
        IntStream.range(0, 40).mapToObj(i -> "\"a" + i + ":1\"").collect(Collectors.joining(", "));
    String before = "pools: {m: {servers: [" + servers + "], timeout: 10s, protocol: redis";
    List<String> lines = report(REST + before + " ".repeat(300) + "}}\n").problems();
    String shown =
        lines.stream().filter(line -> line.startsWith("  3 |")).findFirst().orElseThrow();
    assertThat(shown).startsWith("  3 | ...").endsWith("...").hasSize("  3 | ".length() + 106);
    String caret = lines.get(lines.indexOf(shown) + 1);
    assertThat(shown.substring(caret.indexOf('^'))).startsWith("redis");
  }

  @Test
  void shouldShowNoLineOfAFileThatHasNone() throws IOException {
    Path missing = directory.resolve("missing.yaml");
    CheckReport none = CheckReport.of(Loader.load(missing), missing);
    assertThat(none.problems()).singleElement().asString().contains("no such file");
    assertThat(report("").problems()).hasSize(1);
  }

  @Test
  void shouldCountWhatIsConfigured() throws IOException {
    assertThat(report(REST + "pools: {m: {protocol: embedded}, n: {protocol: embedded}}\n"))
        .satisfies(
            report -> {
              assertThat(report.problems()).isEmpty();
              assertThat(report.summary()).startsWith("ok: 1 listener, 2 pools");
            });
  }
}
