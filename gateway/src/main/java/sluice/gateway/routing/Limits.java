package sluice.gateway.routing;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.config.model.LimitConfig;
import sluice.config.model.MatchConfig;
import sluice.config.model.RuleConfig;
import sluice.gateway.route.RateLimit;

/**
 * Rate limits of a configuration's rules. A rule with the same requests and limit in the next
 * configuration keeps its bucket.
 */
final class Limits {
  private record Key(String route, MatchConfig match, LimitConfig limit) {}

  private final Map<Key, RateLimit> buckets = new HashMap<>();
  private final Map<Key, RateLimit> before;

  /** Limits without predecessors. */
  Limits() {
    before = Map.of();
  }

  /** Limits that follow others. */
  Limits(Limits before) {
    this.before = before.buckets;
  }

  /** The bucket of a rule; null if all its requests pass. */
  @Nullable RateLimit of(String route, RuleConfig rule) {
    LimitConfig limit = rule.limit().orElse(null);
    return limit == null
        ? null
        : buckets.computeIfAbsent(
            new Key(route, rule.match(), limit),
            key -> {
              RateLimit known = before.get(key);
              return known == null ? new RateLimit(route, limit.rate(), limit.burst()) : known;
            });
  }
}
