package sluice.config.routing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.config.LoadResult;
import sluice.config.Loader;
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
}
