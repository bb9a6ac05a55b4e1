package sluice.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import sluice.config.model.Configuration;
import sluice.config.model.PoolConfig;
import sluice.config.problems.Problem;

/** What a file says once for all of its listeners and pools: defaults, and merge keys. */
class DefaultsTest {
  private static final String FILE =
      """
      defaults:
        listeners: {limits: {connections: 7}, allow: []}
        pools: {timeout: 250ms, hash: {function: murmur3}, connections: {perEventLoop: 2}}
      listeners:
        one: {bind: 127.0.0.1:0, route: r}
        two: {bind: 127.0.0.1:1, route: r, limits: {idle: 1h}}
      routes: {r: [{match: {prefix: a}, pool: a}, {match: {prefix: s}, pool: s}, {pool: b}]}
      pools:
        a: {servers: [10.0.0.1:11211]}
        b: {servers: [10.0.0.2:11211], timeout: 1s, connections: {streams: 3}}
        s: {protocol: embedded}
      """;

  private static Configuration configuration(String text) {
    LoadResult result = Loader.parse("f", text);
    assertThat(result.problems()).isEmpty();
    return result.configuration();
  }

  private static List<String> problems(String text) {
    return Loader.parse("f", text).problems().stream().map(Problem::toString).toList();
  }

  @Test
  void shouldHoldWhereAKeyIsAbsent() {
    PoolConfig a = configuration(FILE).pools().get("a");
    assertThat(a.timeoutMillis()).isEqualTo(250);
    assertThat(a.hash()).isEqualTo(configuration(FILE).pools().get("b").hash());
    assertThat(a.connections().perEventLoop()).isEqualTo(2);
    assertThat(configuration(FILE).listeners().get("one").limits().connections()).isEqualTo(7);
    assertThat(configuration(FILE).listeners().get("two").allow()).isEmpty();
  }

  @Test
  void shouldGiveWayToAKeyWithAllThatIsInside() {
    PoolConfig b = configuration(FILE).pools().get("b");
    assertThat(b.timeoutMillis()).isEqualTo(1000);
    assertThat(b.connections().perEventLoop()).isEqualTo(1);
    assertThat(configuration(FILE).listeners().get("two").limits().connections()).isNotEqualTo(7);
  }

  @Test
  void shouldNotReachAPoolOfAProtocolThatHasNoSuchKey() {
    assertThat(configuration(FILE).pools().get("s").sizeBytes()).isEqualTo(64 << 20);
    assertThat(problems(FILE.replace("embedded}", "embedded, timeout: 1s}")))
        .singleElement()
        .asString()
        .contains("pools.s.timeout: found 1s, expected nothing here");
  }

  @Test
  void shouldBePrintedWhereTheyHold() {
    String printed = ConfigurationPrinter.toYaml(configuration(FILE));
    assertThat(printed).doesNotContain("defaults").contains("timeout: 250ms");
    assertThat(configuration(printed).pools()).isEqualTo(configuration(FILE).pools());
  }

  @Test
  void shouldBeRefusedOnce() {
    assertThat(problems(FILE.replace("250ms", "250")))
        .singleElement()
        .asString()
        .startsWith("f:3:20: defaults.pools.timeout: found 250, expected a duration")
        .endsWith("(did you mean 250ms or 250s?)");
    assertThat(problems(FILE.replace("allow", "alow")))
        .singleElement()
        .asString()
        .startsWith("f:2:41: defaults.listeners.alow: found an unknown key")
        .endsWith("(did you mean allow?)");
  }

  @Test
  void shouldTakeOverTheKeysOfMergedMappings() {
    Configuration merged =
        configuration(
            """
            listeners: {l: {bind: 127.0.0.1:0, route: r}}
            routes: {r: [{match: {prefix: a}, pool: a}, {match: {prefix: b}, pool: b}, {pool: c}]}
            pools:
              a: &a {servers: [10.0.0.1:11211], timeout: 300ms, queueTimeout: 20ms}
              b: {<<: *a, servers: [10.0.0.2:11211]}
              c:
                servers: [10.0.0.3:11211]
                <<: [{queueTimeout: 30ms}, *a]
            """);
    assertThat(merged.pools().get("b").timeoutMillis()).isEqualTo(300);
    assertThat(merged.pools().get("b").servers().get(0).toString()).contains("10.0.0.2");
    assertThat(merged.pools().get("c").queueTimeoutMillis()).isEqualTo(30);
    assertThat(merged.pools().get("c").timeoutMillis()).isEqualTo(300);
    assertThat(merged.pools().get("c").servers().get(0).toString()).contains("10.0.0.3");
  }

  @Test
  void shouldRefuseToMergeWhatIsNoMapping() {
    assertThat(problems(FILE.replace("s: {protocol: embedded}", "s: {<<: 7}")))
        .singleElement()
        .asString()
        .contains("found << with 7, expected a mapping, or a list of mappings");
  }

  @Test
  void shouldTakeTheDefaultOfAVariableThatIsNotSet() {
    String text = FILE.replace("250ms", "\"${env:SLUICE_NO_SUCH_VARIABLE:-350ms}\"");
    assertThat(configuration(text).pools().get("a").timeoutMillis()).isEqualTo(350);
    assertThat(ConfigurationPrinter.toYaml(configuration(text)))
        .contains("${env:SLUICE_NO_SUCH_VARIABLE:-350ms}");
  }
}
