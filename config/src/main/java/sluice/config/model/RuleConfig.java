package sluice.config.model;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Which requests, and what becomes of them: exactly one of {@code pool} and {@code reject} is
 * there.
 *
 * @param match which requests
 * @param pool the name of one of {@link Configuration#pools()}
 * @param key how the key is rewritten on its way to the pool
 * @param reject what the client is told instead
 * @param addresses of internode, what is replaced inside messages
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

  /** Where requests go whose server takes none; empty: nowhere. */
  public Optional<FailoverConfig> failover() {
    return policy(FailoverConfig.class);
  }

  /** Which keys go to another pool; empty: none. */
  public Optional<MigrateConfig> migrate() {
    return policy(MigrateConfig.class);
  }

  /** What times to live may be; empty: anything. */
  public Optional<TtlConfig> ttl() {
    return policy(TtlConfig.class);
  }

  /** The pools that requests go to at once, the first of which is pool; empty: one. */
  public Optional<ReplicateConfig> replicate() {
    return policy(ReplicateConfig.class);
  }

  /** Who gets copies of requests; empty: nobody. */
  public Optional<ShadowConfig> shadow() {
    return policy(ShadowConfig.class);
  }

  /** The pool that misses of pool are filled from; empty: none. */
  public Optional<String> warm() {
    return policy(WarmUpConfig.class).map(WarmUpConfig::warm);
  }

  /** Whether the token that match asks for is left out on the way. */
  public boolean stripToken() {
    return policy(StripTokenConfig.class).isPresent();
  }

  /** How many requests pass; empty: all. */
  public Optional<LimitConfig> limit() {
    return policy(LimitConfig.class);
  }

  /** What answers reads for a while; empty: nothing. */
  public Optional<NearCacheConfig> nearCache() {
    return policy(NearCacheConfig.class);
  }

  /** Which values are stored in pieces; empty: none. */
  public Optional<SplitConfig> split() {
    return policy(SplitConfig.class);
  }

  /** Every pool that requests may go to, each once, the first one first. */
  public List<String> pools() {
    return Stream.concat(
            pool.stream(), policies.stream().flatMap(policy -> policy.pools().stream()))
        .distinct()
        .toList();
  }
}
