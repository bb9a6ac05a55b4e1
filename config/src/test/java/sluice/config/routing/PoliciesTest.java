package sluice.config.routing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.config.LoadResult;
import sluice.config.Loader;
import sluice.config.PolicyExplanation;
import sluice.config.model.ExplainedRequest;
import sluice.config.model.PolicyConfig;
import sluice.config.model.PoolProtocol;
import sluice.config.model.RuleConfig;

/** What holds for every kind of policy, by its smallest form in a rule. */
class PoliciesTest {
  /** The smallest form of each, as a rule that has it. */
  private static final List<String> RULES =
      List.of(
          "{pool: p, failover: [q]}",
          "{replicate: {pools: [p, q]}}",
          "{pool: p, shadow: {pool: q}}",
          "{pool: p, hedge: {to: q}}",
          "{pool: p, nearCache: {size: 1MiB, ttl: 1s}}",
          "{warmUp: {cold: p, warm: q}}",
          "{pool: p, migrate: {to: q}}",
          "{pool: p, ttl: {max: 1h}}",
          "{pool: p, limit: {rate: 5}}",
          "{pool: p, split: 64KiB}",
          "{pool: p, match: {token: Px}, stripToken: true}");

  static Stream<String> rules() {
    return RULES.stream();
  }

  private static LoadResult load(String rule) {
    return Loader.parse(
        "f",
        "listeners: {a: {bind: 127.0.0.1:0, route: r}}\nroutes: {r: ["
            + rule
            + "]}\npools: {p: {servers: [h:1]}, q: {servers: [h:2]}}\n");
  }

  private static Policy policy(String rule) {
    String keys = rule.substring(1).replaceAll("\\{[^{}]*}", "");
    List<Policy> named =
        Policies.ALL.stream().filter(policy -> keys.contains(policy.key().name() + ":")).toList();
    assertThat(named).hasSize(1);
    return named.get(0);
  }

  @Test
  void shouldHaveARuleForEachKindAndARecordForEach() {
    Set<Policy> kinds = new HashSet<>();
    Set<Class<? extends PolicyConfig>> records = new HashSet<>();
    for (String rule : RULES) {
      kinds.add(policy(rule));
      RuleConfig bound = load(rule).configuration().routes().get("r").rules().get(0);
      assertThat(bound.policies()).as(rule).hasSize(1);
      records.add(bound.policies().get(0).getClass());
      assertThat(bound.pool()).as(rule).contains("p");
    }
    assertThat(kinds).containsExactlyInAnyOrderElementsOf(Policies.ALL);
    assertThat(records).hasSize(Policies.ALL.size());
  }

  @ParameterizedTest
  @MethodSource("rules")
  void shouldNameInTheRecordThePoolsThatTheFileNames(String rule) {
    RuleConfig bound = load(rule).configuration().routes().get("r").rules().get(0);
    assertThat(bound.pools())
        .containsExactlyElementsOf(rule.contains("q") ? List.of("p", "q") : List.of("p"));
  }

  @ParameterizedTest
  @MethodSource("rules")
  void shouldBePrintedUnderItsKeyAndNotBesideAPoolItStandsFor(String rule) {
    RuleConfig bound = load(rule).configuration().routes().get("r").rules().get(0);
    assertThat(RuleSection.LAYOUT.print(bound)).containsKey(policy(rule).key().name());
    assertThat(RuleSection.LAYOUT.print(bound).containsKey("pool"))
        .isNotEqualTo(policy(rule).isInPlaceOfPool());
  }

  @ParameterizedTest
  @MethodSource("rules")
  void shouldBeRefusedWithoutTheRestOfTheRule(String rule) {
    Policy policy = policy(rule);
    String alone = rule.replaceFirst("pool: p, ", "").replaceFirst("match: \\{token: Px}, ", "");
    LoadResult result = load(alone);
    assertThat(result.isValid()).isEqualTo(policy.isInPlaceOfPool());
    String at = "routes.r[0]." + policy.key().name();
    assertThat(result.problems().stream().map(Object::toString).filter(p -> p.contains(at + ":")))
        .as("%s", result.problems())
        .hasSize(policy.needsPool() || alone.contains("stripToken") ? 1 : 0);
  }

  @ParameterizedTest
  @MethodSource("rules")
  void shouldHaveNoMeaningForInternode(String rule) {
    assertThat(policy(rule).key().isOf(PoolProtocol.INTERNODE)).isFalse();
    assertThat(policy(rule).key().isOf(PoolProtocol.MEMCACHED)).isTrue();
  }

  private static List<String> explained(String rule) {
    RuleConfig bound = load(rule).configuration().routes().get("r").rules().get(0);
    List<String> said = new ArrayList<>();
    ExplainedRequest request =
        new ExplainedRequest() {
          @Override
          public void say(String sentence) {
            said.add(sentence);
          }

          @Override
          public String place(String pool) {
            said.add("placed in " + pool);
            return "its server";
          }

          @Override
          public void placeAlso(String pool) {
            said.add("also placed in " + pool);
          }
        };
    PolicyExplanation.explain(bound, request);
    said.add("placed");
    PolicyExplanation.explainOtherPools(bound, request);
    return said;
  }

  @Test
  void shouldSayWhatIsDoneWithARequestWhereverItGoes() {
    assertThat(explained("{pool: p, ttl: {min: 5s, max: 1h, jitter: 10%}, limit: {rate: 5}}"))
        .containsExactly(
            "times to live are at least 5 s, at most 60 min, shortened at random by up to 10%",
            "at most 5 of its requests pass per second, and 5 at once after a pause", "placed");
    assertThat(explained("{pool: p, nearCache: {size: 1MiB, ttl: 1s}}"))
        .containsExactly(
            "a near cache of 1048576 bytes may answer reads with replies of up to 1 s ago",
            "placed");
    assertThat(explained("{pool: p, split: 64KiB}"))
        .containsExactly(
            "a value of more than 65536 bytes is stored in chunks; each chunk has its own key and"
                + " server",
            "placed");
  }

  @Test
  void shouldSayWhereElseARequestGoes() {
    assertThat(explained("{replicate: {pools: [p, q], acks: majority, reads: nearest}}"))
        .containsExactly(
            "placed",
            "pool q is another replica",
            "also placed in q",
            "acknowledgements that a change needs: majority; reads go to the fastest pool");
    assertThat(explained("{warmUp: {cold: p, warm: q}}"))
        .containsExactly(
            "placed", "placed in q", "a miss is filled from pool q, server its server");
  }

  /** The pool of the copies is none that is written to only for so long. */
  @Test
  void shouldSayOfTheRightPoolHowLongThingsLiveThere() {
    assertThat(
            explained(
                "{pool: p, failover: {pools: [q], maxTtl: 10s}, shadow: {pool: q, percent: 7%}}"))
        .containsExactly(
            "placed",
            "if that server accepts no requests, pool q is tried",
            "also placed in q",
            "items written there live for at most 10 s",
            "placed in q",
            "7% of the requests are copied to pool q, server its server");
  }
}
