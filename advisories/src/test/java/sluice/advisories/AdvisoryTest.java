package sluice.advisories;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AdvisoryTest {
  private static final Advisory TWO_LINES =
      advisory(
          """
          {"type": "ECOSYSTEM", "events": [{"introduced": "4.2.0.Alpha1"}, {"fixed": "4.2.13.Final"}]},
          {"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "4.1.133.Final"}]}
          """);

  @ParameterizedTest
  @CsvSource({
    "3.9.2.Final, 4.1.133.Final",
    "4.1.132.Final, 4.1.133.Final",
    "4.1.133.Final,",
    "4.1.140.Final,",
    "4.2.0.Alpha1, 4.2.13.Final",
    "4.2.0.Final, 4.2.13.Final",
    "4.2.9.Final, 4.2.13.Final",
    "4.2.12.Final, 4.2.13.Final",
    "4.2.13.Final,",
    "4.3.0.Alpha1,"
  })
  void shouldKnowTheEdgesOfARange(String version, String fix) {
    assertThat(TWO_LINES.fixFor(new Dependency("a:b", version)))
        .isEqualTo(Optional.ofNullable(fix));
  }

  @ParameterizedTest
  @CsvSource({
    "4.3.3, false",
    "4.3.4, true",
    "4.3.8, true",
    "4.3.9, false",
    "4.4.0, true",
    "5.0.0, true"
  })
  void shouldCountTheLastVersionThatIsAffected(String version, boolean affected) {
    Advisory advisory =
        advisory(
            """
            {"type": "ECOSYSTEM", "events": [{"introduced": "4.3.4"}, {"last_affected": "4.3.8"}]},
            {"type": "ECOSYSTEM", "events": [{"introduced": "4.4.0"}]}
            """);
    assertThat(advisory.fixFor(new Dependency("a:b", version)).isPresent()).isEqualTo(affected);
  }

  @Test
  void shouldSayThatNoVersionFixesIt() {
    Advisory advisory =
        advisory("{\"type\": \"ECOSYSTEM\", \"events\": [{\"introduced\": \"0\"}]}");
    assertThat(advisory.fixFor(new Dependency("a:b", "9"))).get().asString().contains("names none");
  }

  @Test
  void shouldOrderEventsByVersionWhateverTheirOrderIs() {
    Advisory advisory =
        advisory(
            """
            {"type": "SEMVER", "events": [{"fixed": "1.10"}, {"introduced": "1.9"}, {"fixed": "1.2"}, {"introduced": "1.0"}]}
            """);
    assertThat(advisory.fixFor(new Dependency("a:b", "1.1"))).contains("1.2");
    assertThat(advisory.fixFor(new Dependency("a:b", "1.3"))).isEmpty();
    assertThat(advisory.fixFor(new Dependency("a:b", "1.9.1"))).contains("1.10");
  }

  @Test
  void shouldLeaveOtherPackagesEcosystemsAndCommitsAlone() {
    assertThat(TWO_LINES.fixFor(new Dependency("a:other", "1"))).isEmpty();
    JsonObject npm = TWO_LINES.osv().copy();
    npm.getJsonArray("affected").getJsonObject(0).getJsonObject("package").put("ecosystem", "npm");
    assertThat(new Advisory(npm).fixFor(new Dependency("a:b", "1"))).isEmpty();
    assertThat(
            advisory("{\"type\": \"GIT\", \"events\": [{\"introduced\": \"0\"}]}")
                .fixFor(new Dependency("a:b", "1")))
        .isEmpty();
  }

  @Test
  void shouldReadVersionsThatAreListedOneByOne() {
    JsonObject osv = TWO_LINES.osv().copy();
    osv.getJsonArray("affected").getJsonObject(0).remove("ranges");
    osv.getJsonArray("affected")
        .getJsonObject(0)
        .put("versions", new JsonObject("{\"v\": [\"1.1\"]}").getJsonArray("v"));
    assertThat(new Advisory(osv).fixFor(new Dependency("a:b", "1.1"))).isPresent();
    assertThat(new Advisory(osv).fixFor(new Dependency("a:b", "1.2"))).isEmpty();
  }

  static Advisory advisory(String ranges) {
    return new Advisory(
        new JsonObject(
            """
            {"id": "GHSA-1", "aliases": ["CVE-1"], "database_specific": {"severity": "HIGH"},
             "references": [{"type": "ADVISORY", "url": "https://example.org/GHSA-1"}],
             "affected": [{"package": {"ecosystem": "Maven", "name": "a:b"}, "ranges": [%s]}]}
            """
                .formatted(ranges)));
  }
}
