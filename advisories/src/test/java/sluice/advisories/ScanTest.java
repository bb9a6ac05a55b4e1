package sluice.advisories;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScanTest {
  private static final LocalDate TODAY = LocalDate.of(2026, 11, 22);
  private static final List<Dependency> AFFECTED = List.of(new Dependency("a:b", "1.4"));
  private static final Path MODULE = Path.of("").toAbsolutePath();

  @Test
  void shouldNameThePartTheVersionsAndTheAdvisory() {
    assertThat(scan(AFFECTED).failures())
        .containsExactly("a:b: found 1.4, expected 1.5: GHSA-1 (HIGH), https://example.org/GHSA-1");
    assertThat(scan(List.of(new Dependency("a:b", "1.5"))).failures()).isEmpty();
  }

  @Test
  void shouldFailForAPartNobodyAskedAbout() {
    assertThat(scan(List.of(new Dependency("a:new", "1"))).failures())
        .singleElement()
        .asString()
        .startsWith("a:new 1: its advisories were not looked up yet");
    assertThat(scan(List.of()).failures()).isNotEmpty();
  }

  @Test
  void shouldExemptUntilADayAndNoLonger() {
    assertThat(scan(AFFECTED, exemption("GHSA-1", "a:b", TODAY)).failures()).isEmpty();
    assertThat(scan(AFFECTED, exemption("CVE-1", "a:b", TODAY)).failures()).isEmpty();
    assertThat(scan(AFFECTED, exemption("GHSA-1", "a:b", TODAY.minusDays(1))).failures())
        .singleElement()
        .asString()
        .endsWith("; exempt until 2026-11-21, which is over");
  }

  @Test
  void shouldFailForAnExemptionThatNothingNeeds() {
    assertThat(scan(AFFECTED, exemption("GHSA-1", "a:other", TODAY)).failures()).hasSize(2);
    assertThat(
            scan(List.of(new Dependency("a:b", "1.5")), exemption("GHSA-1", "a:b", TODAY))
                .failures())
        .containsExactly(
            "exceptions.json: GHSA-1 exempts a:b, which is not affected; expected no such entry");
  }

  @Test
  void shouldWarnOnceTheSnapshotIsOld() {
    List<Dependency> shipped = List.of(new Dependency("a:b", "1.5"));
    assertThat(
            Scan.of(shipped, known(TODAY.minusDays(Scan.STALE_AFTER_DAYS)), List.of(), TODAY)
                .warnings())
        .isEmpty();
    Scan old =
        Scan.of(shipped, known(TODAY.minusDays(Scan.STALE_AFTER_DAYS + 1)), List.of(), TODAY);
    assertThat(old.warnings())
        .singleElement()
        .asString()
        .contains("2026-10-22, 31 days", "./sluice advisories --update");
    assertThat(old.failures()).isEmpty();
  }

  @Test
  void shouldRefuseAnExemptionWithoutReasonOrEnd(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("exceptions.json");
    Files.writeString(
        file,
        "[{\"advisory\": \"GHSA-1\", \"package\": \"a:b\", \"reason\": \"unused\", \"until\":"
            + " \"2026-12-31\"}]");
    assertThat(Scan.Exemption.read(file))
        .containsExactly(new Scan.Exemption("GHSA-1", "a:b", "unused", LocalDate.of(2026, 12, 31)));
    for (String key : List.of("reason", "until", "package", "advisory")) {
      Files.writeString(
          file,
          "[{\"advisory\": \"GHSA-1\", \"package\": \"a:b\", \"reason\": \"unused\", \"until\": \"2026-12-31\"}]"
              .replace("\"" + key + "\"", "\"x\""));
      assertThatThrownBy(() -> Scan.Exemption.read(file))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("'" + key + "'");
    }
  }

  @Test
  void shouldReadWhatMavenLists(@TempDir Path directory) throws IOException {
    Path list = directory.resolve("shipped.txt");
    Files.writeString(
        list,
        """

        The following files have been resolved:
           io.netty:netty-transport-native-epoll:jar:linux-x86_64:4.2.18.Final:runtime
           io.netty:netty-transport-native-epoll:jar:linux-aarch_64:4.2.18.Final:runtime
           at.yawk.lz4:lz4-java:jar:1.13.0:compile -- module org.lz4.java
           sluice:sluice-gateway:jar:0.1.0-SNAPSHOT:compile

        """);
    assertThat(Dependency.read(list))
        .containsExactly(
            new Dependency("at.yawk.lz4:lz4-java", "1.13.0"),
            new Dependency("io.netty:netty-transport-native-epoll", "4.2.18.Final"));
    Files.writeString(list, "   something else\n");
    assertThatThrownBy(() -> Dependency.read(list))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("something else");
  }

  /** The repository's own snapshot, and versions that were shipped once. */
  @Test
  void shouldFindWhatIsKnownOfVersionsThatAreOld() throws IOException {
    Snapshot known = Snapshot.read(MODULE.resolve("known.json"));
    List<Dependency> old =
        List.of(
            new Dependency("ch.qos.logback:logback-core", "1.5.21"),
            new Dependency("com.fasterxml.jackson.core:jackson-core", "2.18.6"),
            new Dependency("io.netty:netty-codec-http", "4.2.17.Final"),
            new Dependency("com.github.luben:zstd-jni", "1.5.7-13"));
    assertThat(Scan.of(old, known, List.of(), known.asOf()).failures())
        .anyMatch(
            failure ->
                failure.startsWith(
                    "ch.qos.logback:logback-core: found 1.5.21, expected 1.5.25:"
                        + " GHSA-qqpg-mvqg-649v (LOW)"))
        .anyMatch(
            failure ->
                failure.startsWith(
                    "com.fasterxml.jackson.core:jackson-core: found 2.18.6, expected 2.18.8:"
                        + " GHSA-r7wm-3cxj-wff9 (HIGH)"))
        .anyMatch(
            failure ->
                failure.startsWith(
                    "io.netty:netty-codec-http: found 4.2.17.Final, expected 4.2.18.Final:"
                        + " GHSA-hcvj-94mj-jp5c (MODERATE)"))
        .anyMatch(
            failure ->
                failure.startsWith(
                    "com.github.luben:zstd-jni: found 1.5.7-13, expected 1.5.7-14:"
                        + " CVE-2026-87795"));
  }

  private static Scan scan(List<Dependency> shipped, Scan.Exemption... exemptions) {
    return Scan.of(shipped, known(TODAY), List.of(exemptions), TODAY);
  }

  private static Snapshot known(LocalDate asOf) {
    Advisory advisory =
        AdvisoryTest.advisory(
            "{\"type\": \"ECOSYSTEM\", \"events\": [{\"introduced\": \"0\"}, {\"fixed\":"
                + " \"1.5\"}]}");
    return new Snapshot(asOf, "a test", new TreeSet<>(Set.of("a:b")), List.of(advisory));
  }

  private static Scan.Exemption exemption(String advisory, String name, LocalDate until) {
    return new Scan.Exemption(advisory, name, "not reached", until);
  }
}
