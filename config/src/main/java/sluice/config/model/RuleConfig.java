package sluice.config.model;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Rule of a route: which requests match, and what is done with them. Exactly one of {@code pool}
 * and {@code reject} is present.
 *
 * @param match conditions on requests
 * @param pool the name of one of {@link Configuration#pools()}
 * @param key how the key is rewritten on its way to the pool
 * @param reject error text for the client, instead of a pool
 * @param addresses for internode: addresses replaced inside messages
 * @param policies what else is done; of each kind at most one
 */
public record RuleConfig(
    MatchConfig match,
    Optional<String> pool,
    KeyConfig key,
    Optional<String> reject,
    AddressesConfig addresses,
    List<PolicyConfig> policies) {
  /** Takes a copy. */
  public RuleConfig {
    policies = List.copyOf(policies);
  }

  /** The policy of a kind; empty if the rule has none. */
  public <P extends PolicyConfig> Optional<P> policy(Class<P> kind) {
    return policies.stream().filter(kind::isInstance).map(kind::cast).findFirst();
  }

  /** Pools for requests whose server accepts none; empty for none. */
  public Optional<FailoverConfig> failover() {
    return policy(FailoverConfig.class);
  }

  /** Share of the keys that goes to another pool; empty for none. */
  public Optional<MigrateConfig> migrate() {
    return policy(MigrateConfig.class);
  }

  /** Bounds of times to live; empty for none. */
  public Optional<TtlConfig> ttl() {
    return policy(TtlConfig.class);
  }

  /**
   * Pools that requests are sent to at the same time, pool being the first; empty for a single
   * pool.
   */
  public Optional<ReplicateConfig> replicate() {
    return policy(ReplicateConfig.class);
  }

  /** Pool that gets copies of requests; empty for none. */
  public Optional<ShadowConfig> shadow() {
    return policy(ShadowConfig.class);
  }

  /** The pool from which misses of pool are filled; empty for none. */
  public Optional<String> warm() {
    return policy(WarmUpConfig.class).map(WarmUpConfig::warm);
  }

  /** Whether the token that match requires is removed from forwarded requests. */
  public boolean stripToken() {
    return policy(StripTokenConfig.class).isPresent();
  }

  /** Rate limit; empty for none. */
  public Optional<LimitConfig> limit() {
    return policy(LimitConfig.class);
  }

  /** Cache that answers reads; empty for none. */
  public Optional<NearCacheConfig> nearCache() {
    return policy(NearCacheConfig.class);
  }

  /** Values that are stored in chunks; empty for none. */
  public Optional<SplitConfig> split() {
    return policy(SplitConfig.class);
  }

  /** Every pool that requests may go to, each once, the rule's own first. */
  public List<String> pools() {
    return pools(PolicyConfig::pools);
  }

  /** The pools whose answers may reach clients, each once, the rule's own first. */
  public List<String> answeringPools() {
    return pools(PolicyConfig::answeringPools);
  }

  private List<String> pools(Function<PolicyConfig, List<String>> of) {
    return Stream.concat(
            pool.stream(), policies.stream().flatMap(policy -> of.apply(policy).stream()))
        .distinct()
        .toList();
  }
}
