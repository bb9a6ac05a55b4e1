package sluice.config.rules;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import sluice.config.model.LimitsConfig;
import sluice.config.model.PoolDialect;
import sluice.config.model.PoolProtocol;
import sluice.config.problems.Nearest;
import sluice.config.problems.Problems;
import sluice.config.schema.Checked;
import sluice.config.schema.Checked.Fields;
import sluice.names.Dialect;
import sluice.names.Labelled;

/** What a rule must not say of where its requests go beside its pool, and for how long. */
final class RoutingRules {
  private static final List<String> BESIDE_POOL =
      List.of("failover", "migrate", "shadow", "nearCache", "split");
  private static final Set<String> WITH_TOKENS = Set.of("mg", "ms", "md", "ma");
  private static final int MOST_REPLICAS = 16;

  private final Problems problems;

  RoutingRules(Problems problems) {
    this.problems = problems;
  }

  void check(Fields file) {
    Map<String, Checked> pools = file.get("pools").named();
    for (Checked route : file.get("routes").named().values()) {
      for (Checked rule : route.items()) {
        rule(rule.fields(), pools);
      }
    }
  }

  private void refuse(Checked at, String found, String expected) {
    problems.add(at.line(), at.column(), at.path(), found, expected);
  }

  private void rule(Fields rule, Map<String, Checked> pools) {
    token(rule);
    if (rule.get("warmUp").written()) {
      warmUp(rule.section("warmUp"), pools);
    }
    if (rule.get("replicate").written()) {
      replicate(rule, pools);
    } else if (rule.get("pool").written()) {
      besidePool(rule, pools);
    }
    if (!rule.get("pool").written()) {
      BESIDE_POOL.stream()
          .map(rule::get)
          .filter(Checked::written)
          .forEach(c -> refuse(c, c.shown(), "a pool beside it"));
    }
    if (rule.get("nearCache").written()) {
      RuleFields.pools(rule).forEach(name -> memcached(rule.get("nearCache"), name, pools));
    }
    if (rule.get("split").written()) {
      split(rule, pools);
    }
    if (rule.get("limit").written() && rule.get("reject").written()) {
      refuse(rule.get("limit"), rule.get("limit").shown(), "no limit beside reject");
    }
    if (rule.get("ttl").written()) {
      ttl(rule.get("ttl"));
      if (rule.get("reject").written()) {
        refuse(rule.get("ttl"), rule.get("ttl").shown(), "no ttl beside reject");
      }
      RuleFields.pools(rule).forEach(name -> servers(rule.get("ttl"), name, pools));
    }
  }

  /** Meta requests alone have tokens. */
  private void token(Fields rule) {
    Fields match = rule.section("match");
    Checked token = match.get("token");
    if (rule.get("stripToken").written() && !token.written()) {
      refuse(rule.get("stripToken"), rule.get("stripToken").shown(), "match.token beside it");
    }
    boolean meta =
        !match.get("dialects").written()
            || match.list("dialects", Dialect.class).contains(Dialect.META);
    boolean commands =
        !match.get("commands").written()
            || match.list("commands", String.class).stream().anyMatch(WITH_TOKENS::contains);
    if (token.value().isPresent() && !(meta && commands)) {
      refuse(token, token.shown(), "a rule that takes some of mg, ms, md and ma: others have none");
    }
  }

  /** Requests to several pools are said in one neutral form, and must be said alike to all. */
  private void replicate(Fields rule, Map<String, Checked> pools) {
    List<Checked> names = rule.section("replicate").get("pools").items();
    if (names.size() < 2 || names.size() > MOST_REPLICAS) {
      Checked at = rule.section("replicate").get("pools");
      if (at.value().isPresent()) {
        refuse(at, names.size() + " pools", "2 to " + MOST_REPLICAS);
      }
    }
    repeated(names);
    for (Checked name : names) {
      known(name, pools);
      servers(name, name, pools);
      alike(names.get(0), name, pools);
    }
  }

  /** The warm pool is asked for what it knows of an item, which meta alone can say. */
  private void warmUp(Fields warmUp, Map<String, Checked> pools) {
    Checked cold = warmUp.get("cold");
    Checked warm = warmUp.get("warm");
    other(cold, warm, pools);
    if (known(cold, pools)) {
      servers(cold, cold, pools);
      meta(cold, pools);
    }
    if (warm.value().map(pools::get).isPresent()) {
      servers(warm, warm, pools);
      meta(warm, pools);
    }
  }

  private void meta(Checked name, Map<String, Checked> pools) {
    Fields pool = pools.get((String) name.value().orElseThrow()).fields();
    boolean ignite =
        pool.scalar("protocol", PoolProtocol.class).filter(PoolProtocol.IGNITE::equals).isPresent();
    if (ignite) {
      refuse(name, name.shown(), "a pool of memcached servers");
      return;
    }
    boolean meta =
        pool.scalar("dialect", PoolDialect.class)
            .filter(d -> d == PoolDialect.SAME || d == PoolDialect.META)
            .isPresent();
    if (!meta && !RuleFields.isEmbedded(pool)) {
      refuse(
          name,
          name.shown() + ", with dialect " + pool.get("dialect").shown(),
          "a pool with dialect same or meta");
    }
  }

  private void alike(Checked first, Checked name, Map<String, Checked> pools) {
    Optional<Object> expected = dialect(first, pools);
    Optional<Object> found = dialect(name, pools);
    if (expected.isPresent() && found.isPresent() && !expected.equals(found)) {
      refuse(
          name,
          name.shown() + ", with dialect " + label(found.get()),
          "a pool with dialect " + label(expected.get()) + ", as " + first.path());
    }
  }

  private static String label(Object dialect) {
    return ((Labelled) dialect).label();
  }

  private static Optional<Object> dialect(Checked name, Map<String, Checked> pools) {
    return name.value().map(pools::get).flatMap(pool -> pool.fields().get("dialect").value());
  }

  private void besidePool(Fields rule, Map<String, Checked> pools) {
    Checked own = rule.get("pool");
    List<Checked> failover = rule.section("failover").get("pools").items();
    Checked to = rule.section("migrate").get("to");
    List<Checked> others = new ArrayList<>(failover);
    others.add(to);
    Checked shadow = rule.section("shadow").get("pool");
    others.add(shadow);
    others.stream().filter(Checked::written).forEach(name -> other(own, name, pools));
    repeated(failover);
    migrate(rule.section("migrate"));
    if (shadow.written()) {
      servers(shadow, shadow, pools);
    }
    Checked maxTtl = rule.section("failover").get("maxTtl");
    if (!maxTtl.value().equals(Optional.of(LimitsConfig.NEVER))) {
      failover.forEach(name -> servers(maxTtl, name, pools));
    }
  }

  private void other(Checked own, Checked name, Map<String, Checked> pools) {
    if (known(name, pools) && name.value().equals(own.value())) {
      refuse(name, name.shown(), "another pool than " + own.path());
    }
  }

  private boolean known(Checked name, Map<String, Checked> pools) {
    if (name.value().isEmpty()) {
      return false;
    }
    Checked pool = pools.get((String) name.value().get());
    if (pool == null) {
      String nearest =
          Nearest.to((String) name.value().get(), pools.keySet())
              .map(n -> " (did you mean " + n + "?)")
              .orElse("");
      refuse(name, name.shown(), "the name of one of the 'pools'" + nearest);
      return false;
    }
    if (isInternode(pool.fields())) {
      refuse(name, name.shown(), "a pool that is not internode");
      return false;
    }
    return true;
  }

  private static boolean isInternode(Fields pool) {
    return pool.scalar("protocol", PoolProtocol.class)
        .filter(PoolProtocol.INTERNODE::equals)
        .isPresent();
  }

  private void repeated(List<Checked> names) {
    Map<Object, Checked> seen = new HashMap<>();
    for (Checked name : names) {
      name.value()
          .map(value -> seen.putIfAbsent(value, name))
          .ifPresent(
              earlier ->
                  refuse(name, name.shown(), "each only once: " + earlier.path() + " is the same"));
    }
  }

  private void migrate(Fields migrate) {
    Checked from = migrate.get("from");
    Checked until = migrate.get("until");
    if (from.written() != until.written()) {
      Checked there = from.written() ? from : until;
      String missing = from.written() ? "until" : "from";
      refuse(there, there.shown(), missing + " beside it: the share grows between both");
    }
    Optional<Long> begin = migrate.scalar("from", Long.class);
    Optional<Long> end = migrate.scalar("until", Long.class);
    if (begin.isPresent() && end.isPresent() && begin.get() >= end.get()) {
      refuse(until, until.shown(), "a time after " + from.path() + ", " + from.shown());
    }
  }

  private void ttl(Checked checked) {
    Fields ttl = checked.fields();
    if (checked.value().isPresent() && ttl.byKey().values().stream().noneMatch(Checked::written)) {
      refuse(checked, "nothing", "min, max or jitter");
    }
    Optional<Long> min = ttl.scalar("min", Long.class);
    Optional<Long> max = ttl.scalar("max", Long.class).filter(m -> m != LimitsConfig.NEVER);
    if (min.isPresent() && max.isPresent() && min.get() > max.get()) {
      refuse(ttl.get("min"), ttl.get("min").shown(), "at most max, " + ttl.get("max").shown());
    }
  }

  /** Pieces are other items of the same pool, which is asked for them when a reply has come. */
  private void split(Fields rule, Map<String, Checked> pools) {
    Checked split = rule.get("split");
    Stream.of("shadow", "nearCache")
        .map(rule::get)
        .filter(Checked::written)
        .forEach(other -> refuse(other, other.shown(), "nothing here, beside " + split.path()));
    RuleFields.pools(rule).forEach(name -> memcached(split, name, pools));
    Optional<Long> flag = split.fields().scalar("flag", Long.class);
    RuleFields.pools(rule).forEach(name -> flag.ifPresent(bit -> otherBit(rule, name, bit, pools)));
    split
        .fields()
        .scalar("above", Long.class)
        .filter(above -> above > RuleFields.WHOLE_IN_MEMCACHED)
        .ifPresent(
            above ->
                problems.warn(
                    split,
                    split.path(),
                    split.shown(),
                    "at most 1023KiB, unless all servers run with an item size (-I) that has room"
                        + " for such a value, its key and 60 bytes"));
  }

  /** Compression marks its values by a bit of their flags, too. */
  private void otherBit(Fields rule, Checked name, long bit, Map<String, Checked> pools) {
    Checked pool = name.value().map(pools::get).orElse(null);
    if (pool == null || !pool.fields().get("compression").written()) {
      return;
    }
    Checked taken = pool.fields().section("compression").get("flag");
    if (taken.value().equals(Optional.of(bit))) {
      Checked own = rule.section("split").get("flag");
      Checked at = own.written() ? own : rule.get("split");
      refuse(at, at.shown(), "another flag than " + taken.path() + ", " + taken.shown());
    }
  }

  /** A near cache keeps what memcached's servers say. */
  private void memcached(Checked at, Checked name, Map<String, Checked> pools) {
    Checked pool = name.value().map(pools::get).orElse(null);
    if (pool == null) {
      return;
    }
    servers(at, name, pools);
    boolean ignite =
        pool.fields()
            .scalar("protocol", PoolProtocol.class)
            .filter(PoolProtocol.IGNITE::equals)
            .isPresent();
    if (ignite) {
      refuse(at, at.shown(), "nothing here: " + name.shown() + " is a pool of Ignite nodes");
    }
  }

  /** The store of this process takes requests as they come. */
  private void servers(Checked at, Checked name, Map<String, Checked> pools) {
    Checked pool = name.value().map(pools::get).orElse(null);
    if (pool != null && RuleFields.isEmbedded(pool.fields())) {
      refuse(
          at,
          at.shown(),
          at.equals(name)
              ? "a pool of servers"
              : "nothing here: " + name.shown() + " is an embedded pool");
    }
  }
}
