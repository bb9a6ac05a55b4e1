package sluice.config.routing;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import sluice.config.model.DurationText;
import sluice.config.model.ExplainedRequest;
import sluice.config.model.HedgeConfig;
import sluice.config.model.HedgeConfig.After;
import sluice.config.model.RuleConfig;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Quantities;
import sluice.config.schema.Scalars;
import sluice.config.schema.Type;
import sluice.config.sections.ConnectionsSection;
import sluice.config.sections.PoolSection;

/** Description of hedging: a read that is not answered in time is also sent to another pool. */
final class HedgePolicy implements Policy {
  private static final Pattern PERCENTILE = Pattern.compile("p([1-9][0-9]?)");

  private static final Key<String> TO =
      Key.required("to", Scalars.nameOf("pools"), "Pool that slow reads are also sent to.");
  private static final Key<After> AFTER =
      Key.optional(
              "after",
              after(),
              "How long the rule's pool may take to begin its reply: a duration, or a percentile of"
                  + " its recent response times.")
          .or("p95");
  private static final Key<Double> BUDGET =
      Key.optional(
              "budget", Quantities.share(), "Largest share of the reads that may be sent twice.")
          .or("5%");
  private static final Layout<HedgeConfig> LAYOUT =
      Layout.of(HedgeConfig.class)
          .key(TO, HedgeConfig::to)
          .key(AFTER, HedgeConfig::after)
          .key(BUDGET, HedgeConfig::budget);

  private static final Key<Fields> KEY =
      RuleKeys.ofRequests(
          Key.optional(
              "hedge",
              LAYOUT.type(),
              "Second pool for reads that the rule's pool is slow to answer; none by default."));

  private static Type.Scalar<After> after() {
    Type.Scalar<Long> time = Quantities.duration("1ms", "10s");
    return Scalars.string(
        time.expected() + ", or a percentile from p1 to p99",
        text -> {
          Matcher matcher = PERCENTILE.matcher(text);
          if (matcher.matches()) {
            return new After(0, Integer.parseInt(matcher.group(1)));
          }
          Long millis = time.parser().apply(text);
          return millis == null ? null : new After(millis, 0);
        },
        after ->
            after.percentile() > 0 ? "p" + after.percentile() : time.writer().apply(after.millis()),
        PERCENTILE.pattern() + "|[0-9]{1,10}(ms|s)");
  }

  @Override
  public Key<Fields> key() {
    return KEY;
  }

  @Override
  public Layout<RuleConfig> addTo(Layout<RuleConfig> rule) {
    return rule.section(KEY, LAYOUT, each -> each.policy(HedgeConfig.class));
  }

  @Override
  public Optional<HedgeConfig> bind(Fields rule) {
    return rule.written(KEY)
        .map(hedge -> new HedgeConfig(hedge.value(TO), hedge.value(AFTER), hedge.value(BUDGET)));
  }

  @Override
  public boolean needsPool() {
    return true;
  }

  @Override
  public List<Checked<String>> pools(Fields rule) {
    return List.of(rule.section(KEY).get(TO));
  }

  /**
   * A hedge chooses which reply is used, so no other policy of the rule may make further requests
   * for a reply.
   */
  @Override
  public void check(Fields rule, RulePools pools) {
    Checked<Fields> hedge = rule.get(KEY);
    for (Key<?> other : List.of(ShadowPolicy.KEY, NearCachePolicy.KEY, SplitPolicy.KEY)) {
      if (rule.isWritten(other)) {
        pools.refuse(rule.get(other), "nothing here with " + hedge.path());
      }
    }
    Checked<String> to = rule.section(KEY).get(TO);
    pools.names().stream()
        .filter(name -> !name.equals(to))
        .forEach(name -> pools.requireServers(hedge, name));
    warnIfTooLate(rule, pools);
  }

  /** A read that has failed by then is not sent again. */
  private static void warnIfTooLate(Fields rule, RulePools pools) {
    Checked<String> to = rule.section(KEY).get(TO);
    Checked<After> after = rule.section(KEY).get(AFTER);
    long longest =
        pools.names().stream()
            .filter(name -> !name.equals(to))
            .mapToLong(name -> waitMillis(pools.find(name).map(Fields::of).orElse(Fields.NONE)))
            .max()
            .orElse(Long.MAX_VALUE);
    if (after.value().filter(each -> each.millis() >= longest).isPresent()) {
      after.warn(
          pools.problems(),
          "less than "
              + longest
              + "ms, the longest wait for the pool's reply: a read has failed by then");
    }
  }

  /**
   * How long a read that was sent may wait for its reply; {@link Long#MAX_VALUE} if that is not
   * known. It waits longest behind replies that a client does not read: for twice its timeout, or
   * four times if event loops share the connection.
   */
  private static long waitMillis(Fields pool) {
    Optional<Long> timeout = pool.optional(PoolSection.TIMEOUT);
    if (timeout.isEmpty() || pool.isWritten(PoolSection.RETRIES)) {
      return Long.MAX_VALUE;
    }
    Fields connections = pool.section(PoolSection.CONNECTIONS);
    boolean shared = connections.optional(ConnectionsSection.MAX).orElse(0) > 0;
    return (shared ? 4 : 2) * timeout.get();
  }

  @Override
  public void checkBesidePool(Checked<String> own, Fields rule, RulePools pools) {
    Checked<String> to = rule.section(KEY).get(TO);
    if (to.written()) {
      pools.requireOther(own, to);
      pools.requireServers(to, to);
    }
  }

  @Override
  public void explainOtherPools(RuleConfig rule, ExplainedRequest request) {
    rule.policy(HedgeConfig.class)
        .ifPresent(
            hedge -> {
              String server = request.place(hedge.to());
              request.say(
                  "a read that is not answered "
                      + (hedge.after().percentile() > 0
                          ? "within p" + hedge.after().percentile() + " of recent times"
                          : "within " + DurationText.of(hedge.after().millis()))
                      + " is also sent to pool "
                      + hedge.to()
                      + ", server "
                      + server);
            });
  }
}
