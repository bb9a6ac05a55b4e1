package sluice.config.routing;

import java.util.Optional;
import sluice.config.model.DurationText;
import sluice.config.model.ExplainedRequest;
import sluice.config.model.NearCacheConfig;
import sluice.config.model.RuleConfig;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Quantities;

/** Description of a near cache, which keeps replies of memcached servers. */
final class NearCachePolicy implements Policy {
  private static final Key<Long> SIZE =
      Key.required(
          "size",
          Quantities.size("1MiB", "64GiB"),
          "Maximum memory of the cache, in addition to `process.memory`.");
  private static final Key<Long> TTL =
      Key.required(
          "ttl", Quantities.duration("1ms", "1h"), "Maximum age of the replies that it returns.");
  private static final Layout<NearCacheConfig> LAYOUT =
      Layout.of(NearCacheConfig.class)
          .key(SIZE, NearCacheConfig::sizeBytes)
          .key(TTL, NearCacheConfig::ttlMillis);

  static final Key<Fields> KEY =
      RuleKeys.ofRequests(
          Key.optional(
              "nearCache",
              LAYOUT.type(),
              "A cache inside the gateway for hot keys; none by default."));

  @Override
  public Key<Fields> key() {
    return KEY;
  }

  @Override
  public Layout<RuleConfig> addTo(Layout<RuleConfig> rule) {
    return rule.section(KEY, LAYOUT, RuleConfig::nearCache);
  }

  @Override
  public Optional<NearCacheConfig> bind(Fields rule) {
    return rule.written(KEY).map(near -> new NearCacheConfig(near.value(SIZE), near.value(TTL)));
  }

  @Override
  public boolean needsPool() {
    return true;
  }

  @Override
  public void check(Fields rule, RulePools pools) {
    pools.names().forEach(name -> pools.requireMemcached(rule.get(KEY), name));
  }

  @Override
  public void explain(RuleConfig rule, ExplainedRequest request) {
    rule.nearCache()
        .ifPresent(
            near ->
                request.say(
                    "a near cache of "
                        + near.sizeBytes()
                        + " bytes may answer reads with replies of up to "
                        + DurationText.of(near.ttlMillis())
                        + " ago"));
  }
}
