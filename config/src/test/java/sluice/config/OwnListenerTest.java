package sluice.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.config.problems.Problem;

/** Servers that are listeners of this gateway are refused where requests would return for ever. */
class OwnListenerTest {
  private static final String ONE =
      """
      listeners: {a: {bind: "127.0.0.1:7001", route: r}}
      routes: {r: [?]}
      pools: {own: {servers: [h:1, 127.0.0.1:7001]}, real: {servers: ["10.0.0.1:1"]}}
      """;

  private static final String TWO =
      """
      listeners:
        a: {bind: "127.0.0.1:7001", route: a}
        b: {bind: "127.0.0.1:7002", route: b}
      routes: {a: [?], b: [?]}
      pools:
        toA: {servers: [127.0.0.1:7001]}
        toB: {servers: [127.0.0.1:7002]}
        real: {servers: ["10.0.0.1:1"]}
      """;

  /** The file with these texts in the places of its question marks. */
  private static LoadResult load(String yaml, String... texts) {
    String file = yaml;
    for (String text : texts) {
      file = file.replaceFirst("[?]", text);
    }
    return Loader.parse("f", file);
  }

  private static Problem problem(LoadResult result) {
    assertThat(result.problems()).hasSize(1);
    return result.problems().get(0);
  }

  private static void assertGood(LoadResult result) {
    assertThat(result.problems()).isEmpty();
    assertThat(result.warnings()).isEmpty();
  }

  @Test
  void shouldNameTheServerTheListenerAndTheRule() {
    assertThat(problem(load(ONE, "{pool: own}")))
        .hasToString(
            "f:3:30: pools.own.servers[1]: found 127.0.0.1:7001, expected a server outside this"
                + " gateway: listeners.a listens here, and routes.r[0] would send requests to it"
                + " for ever");
  }

  /** The address that a listener has by default is also memcached's. */
  @Test
  void shouldKnowTheDefaultAddress() {
    LoadResult result =
        Loader.parse(
            "f",
            """
            listeners: {a: {route: r}}
            routes: {r: [{pool: p}]}
            pools: {p: {servers: ["localhost:11211"]}}
            """);
    assertThat(problem(result).path()).isEqualTo("pools.p.servers[0]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{pool: real, failover: [own]}",
        "{pool: real, failover: {pools: [own], maxTtl: 10s}}",
        "{pool: real, shadow: {pool: own, percent: 10%}}",
        "{pool: real, migrate: {to: own, percent: 10%}}",
        "{pool: real, hedge: {to: own, after: 10ms}}",
        "{replicate: {pools: [real, own]}}",
        "{warmUp: {cold: real, warm: own}}",
        "{warmUp: {cold: own, warm: real}}",
      })
  void shouldFollowEveryPoolOfARule(String rule) {
    assertThat(problem(load(ONE, rule)).path()).isEqualTo("pools.own.servers[1]");
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1:7,     localhost:7",
    "'[::1]:7',       localhost:7",
    "localhost:7,     127.0.0.1:7",
    "0.0.0.0:7,       127.0.0.1:7",
    "0.0.0.0:7,       127.0.0.9:7",
    "0.0.0.0:7,       localhost:7",
    "0.0.0.0:7,       '[::1]:7'",
    "0.0.0.0:7,       0.0.0.0:7",
    "'[::]:7',        127.0.0.1:7",
    "'[::]:7',        '[::1]:7'",
    "'[::]:7',        localhost:7",
    "10.0.0.1:7,      10.0.0.1:7",
    "name.example:7,  name.example:7",
    "unix:/run/a,     unix:/run/a",
  })
  void shouldKnowTheListenerHoweverItIsWritten(String bind, String server) {
    assertThat(load(ADDRESSES, bind, server).problems()).hasSize(1);
  }

  /** Another program may listen there. */
  @ParameterizedTest
  @CsvSource({
    "127.0.0.1:7,     127.0.0.1:8",
    "127.0.0.1:7,     127.0.0.2:7",
    "127.0.0.1:0,     127.0.0.1:7",
    "10.0.0.1:7,      127.0.0.1:7",
    "0.0.0.0:7,       10.0.0.1:7",
    "0.0.0.0:7,       name.example:7",
    "unix:/run/a,     unix:/run/b",
  })
  void shouldNotTakeAnotherAddressForTheListener(String bind, String server) {
    assertGood(load(ADDRESSES, bind, server));
  }

  private static final String ADDRESSES =
      """
      listeners: {a: {bind: "?", route: r}}
      routes: {r: [{pool: p}]}
      pools: {p: {servers: ["?"]}}
      """;

  @Test
  void shouldFollowRequestsOverSeveralListeners() {
    assertThat(problem(load(TWO, "{pool: toB}", "{pool: toA}")))
        .hasToString(
            "f:6:19: pools.toA.servers[0]: found 127.0.0.1:7001, expected a server outside this"
                + " gateway: listeners.a listens here, and routes.a[0] and routes.b[0] would send"
                + " requests to it for ever");
  }

  @Test
  void shouldTakeAListenerBehindAnotherOne() {
    assertGood(load(TWO, "{pool: toB}", "{pool: real}"));
  }

  /** Nobody connects to the listener whose route it is. */
  @Test
  void shouldTakeAPoolThatNoListenerLeadsTo() {
    assertGood(
        load(
            ONE.replace("routes: {r: [?]}", "routes: {r: [{pool: real}], unused: [?]}"),
            "{pool: own}"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // The key becomes one of another rule, which sends it here again.
        "{match: {prefix: 'a:'}, key: {strip: 'a:', add: 'b:'}, pool: own},"
            + " {match: {prefix: 'b:'}, key: {strip: 'b:', add: 'a:'}, pool: own}, {pool: real}",
        // Only longer keys return.
        "{match: {prefix: 'a:'}, key: {strip: 'a:', add: 'b:'}, pool: own},"
            + " {match: {prefix: 'b:c:'}, key: {strip: 'b:', add: 'a:'}, pool: own}, {pool: real}",
        // The key grows until it is too long.
        "{match: {prefix: 'a:', commands: [get]}, key: {add: 'a:'}, pool: own}, {pool: real}",
        "{match: {commands: [set]}, key: {add: v2}, pool: own}, {pool: real}",
        // Another command would reach the servers.
        "{match: {commands: [get, set], prefix: x}, pool: own}, {pool: real}",
        "{match: {dialects: [binary]}, pool: own}, {pool: real}",
        "{match: {token: Pblue}, pool: own}, {pool: real}",
      })
  void shouldRefuseRulesThatTheRequestMeetsAgain(String rules) {
    assertThat(problem(load(ONE, rules)).path()).isEqualTo("pools.own.servers[1]");
  }

  /** Commands without a key go to the pools of rules with any prefix. */
  @Test
  void shouldThinkOfCommandsWithoutAKey() {
    String rule = "{match: {prefix: 'a:'}, key: {strip: 'a:'}, pool: own}, {pool: real}";
    assertThat(problem(load(ONE, rule)).expected())
        .endsWith("routes.r[0] would send commands without a key to it for ever");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{match: {prefix: 'a:', commands: [get, set]}, key: {strip: 'a:'}, pool: own}, {pool:"
            + " real}",
        "{match: {prefix: x, commands: [get]}, pool: real},"
            + " {match: {commands: [get]}, key: {add: x}, pool: own}, {pool: real}",
        "{match: {token: Pblue, commands: [mg]}, stripToken: true, pool: own}, {pool: real}",
      })
  void shouldWarnWhereARequestMeetsAnotherRule(String rules) {
    LoadResult result = load(ONE, rules);
    assertThat(result.problems()).isEmpty();
    assertThat(result.warnings())
        .singleElement()
        .asString()
        .startsWith("f:3:30: pools.own.servers[1]: found 127.0.0.1:7001, expected a server outside")
        .endsWith("sends requests to it for ever");
  }

  /** Links are opened before a message tells which rule matches. */
  @Test
  void shouldRefuseALinkToItself() {
    LoadResult result =
        Loader.parse(
            "f",
            """
            listeners: {n: {bind: "127.0.0.12:7000", protocol: internode, route: n}}
            routes: {n: [{match: {verbs: [TRUNCATE_REQ]}, reject: no}, {pool: n}]}
            pools: {n: {protocol: internode, servers: ["127.0.0.12:7000"]}}
            """);
    assertThat(problem(result).path()).isEqualTo("pools.n.servers[0]");
  }

  /** What a bridge makes of a command is not guessed. */
  @Test
  void shouldOnlyWarnOfWhatABridgeChanges() {
    String bridged =
        TWO.replace("toB: {", "toB: {dialect: meta, ").replace("toA: {", "toA: {dialect: text, ");
    LoadResult result =
        load(
            bridged,
            "{match: {commands: [get]}, pool: toB}, {pool: real}",
            "{match: {commands: [mg]}, pool: toA}, {pool: real}");
    assertThat(result.problems()).isEmpty();
    assertThat(result.warnings()).hasSize(2);
  }

  /** A part that is refused anyway makes no other problem. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{match: {prefix: 'a:', wrong: x}, key: {strip: 'abc'}, pool: own}",
        "{match: {commands: [what]}, pool: own}",
        "{pool: own, key: {strip: ''}}",
        "own",
        "{pool: other}",
        "{pool: own, failover: {pools: own}}",
      })
  void shouldStandWhatIsWrongOtherwise(String rule) {
    assertThat(load(ONE, rule).problems()).isNotEmpty();
  }
}
