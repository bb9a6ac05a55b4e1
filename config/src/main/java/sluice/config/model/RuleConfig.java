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
 * @param failover where requests go whose server takes none; empty: nowhere
 * @param migrate which keys go to another pool; empty: none
 * @param replicate the pools that requests go to at once, the first of which is pool; empty: one
 * @param shadow who gets copies of requests; empty: nobody
 * @param warm the pool that misses of pool are filled from; empty: none
 * @param stripToken whether the token that match asks for is left out on the way
 * @param limit how many requests pass; empty: all
 * @param nearCache what answers reads for a while; empty: nothing
 * @param ttl what times to live may be; empty: anything
 * @param split which values are stored in pieces; empty: none
 */
public record RuleConfig(
    MatchConfig match,
    Optional<String> pool,
    KeyConfig key,
    Optional<String> reject,
    AddressesConfig addresses,
    Optional<FailoverConfig> failover,
    Optional<MigrateConfig> migrate,
    Optional<TtlConfig> ttl,
    Optional<ReplicateConfig> replicate,
    Optional<ShadowConfig> shadow,
    Optional<String> warm,
    boolean stripToken,
    Optional<LimitConfig> limit,
    Optional<NearCacheConfig> nearCache,
    Optional<SplitConfig> split) {
  /** Every pool that requests may go to, each once, the first one first. */
  public List<String> pools() {
    return Stream.of(
            pool.stream(),
            migrate.stream().map(MigrateConfig::to),
            failover.stream().flatMap(f -> f.pools().stream()),
            replicate.stream().flatMap(r -> r.pools().stream()),
            shadow.stream().map(ShadowConfig::pool),
            warm.stream())
        .flatMap(names -> names)
        .distinct()
        .toList();
  }
}
