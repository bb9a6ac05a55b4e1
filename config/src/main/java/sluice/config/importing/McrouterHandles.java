package sluice.config.importing;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import sluice.config.yaml.Node;

/**
 * Translator of mcrouter's route handles into rules. Sources: mcrouter's {@code
 * McRouteHandleProvider}, {@code RouteHandleFactory} and the classes of its {@code routes}.
 */
final class McrouterHandles {
  private static final String POOL = "Pool";
  private static final long YEAR_SECONDS = 365L * 24 * 3600;
  private static final long DEFAULT_FAILOVER_SECONDS = 60;
  private static final long DEFAULT_MIGRATION_SECONDS = 3600;
  private static final List<String> CHILDREN =
      List.of("target", "child", "children", "normal", "from", "cold", "l1", "default_policy");

  private final Remarks remarks;
  private final McrouterPools pools;
  private final Map<String, Source> named = new LinkedHashMap<>();
  private int depth;

  McrouterHandles(Remarks remarks, McrouterPools pools, Source file) {
    this.remarks = remarks;
    this.pools = pools;
    name(file);
  }

  /** Collects named handles, which can be referred to from anywhere in the file. */
  private void name(Source at) {
    at.items().forEach(this::name);
    at.entries()
        .forEach(
            (key, value) -> {
              name(value);
              if (at.path().equals("named_handles")) {
                named.putIfAbsent(key, value);
              }
            });
    Optional<String> type = at.get("type").flatMap(Source::text).filter(t -> !t.equals(POOL));
    if (type.isPresent()) {
      at.get("name").flatMap(Source::text).ifPresent(n -> named.putIfAbsent(n, at));
    }
  }

  /**
   * A handle of either form.
   *
   * @param at the mapping, or for the short form {@code TYPE|REST} the rest, as a scalar
   */
  record Handle(String type, Source at, boolean isShort) {
    Optional<Source> field(String key) {
      return isShort ? Optional.empty() : at.get(key);
    }

    /** The part after the bar, or the value of the first key that is present. */
    Optional<Source> child(List<String> keys) {
      return isShort
          ? Optional.of(at).filter(rest -> rest.text().filter(t -> !t.isEmpty()).isPresent())
          : keys.stream().flatMap(key -> at.get(key).stream()).findFirst();
    }
  }

  Handle handle(Source source) {
    Source found = source;
    for (int i = 0; i < 32; i++) { // names may refer to names, even in a cycle
      Source next = found.text().map(named::get).orElse(null);
      if (next == null) {
        break;
      }
      found = next;
    }
    Optional<String> text = found.text();
    if (text.isEmpty()) {
      return new Handle(found.get("type").flatMap(Source::text).orElse(""), found, false);
    }
    int bar = text.get().indexOf('|');
    String type = bar < 0 ? text.get() : text.get().substring(0, bar);
    String rest = bar < 0 ? "" : text.get().substring(bar + 1);
    Node node = new Node.Scalar(found.node().line(), found.node().column(), rest, true);
    return new Handle(type, new Source(node, found.path()), true);
  }

  /** The action for a request; adds a remark where it differs from mcrouter's. */
  McrouterAction action(Source source) {
    Handle handle = handle(source);
    if (++depth > 32) {
      remarks.add(source, "no equivalent: handles are nested too deeply, or contain themselves");
      depth--;
      return McrouterAction.reject("no route");
    }
    try {
      return action(handle);
    } finally {
      depth--;
    }
  }

  private McrouterAction action(Handle handle) {
    return switch (handle.type()) {
      case "PoolRoute" -> poolRoute(handle);
      case POOL -> pool(handle.at(), Optional.empty());
      case "HashRoute" -> hashRoute(handle);
      case "FailoverRoute" -> failover(handle, handle.child(List.of("children")), Optional.empty());
      case "FailoverWithExptimeRoute" -> failoverWithTtl(handle);
      case "AllSyncRoute" -> all(handle, "all");
      case "AllMajorityRoute" -> all(handle, "majority");
      case "AllFastestRoute" -> all(handle, "one");
      case "AllInitialRoute", "AllAsyncRoute" -> {
        remarks.add(
            handle.at(),
            "no equivalent: "
                + handle.type()
                + " answers without all pools; Sluice replies when the first pool has"
                + " acknowledged");
        yield all(handle, "one");
      }
      case "WarmUpRoute" -> warmUp(handle);
      case "MigrateRoute" -> migrate(handle);
      case "ShadowRoute" -> shadowed(handle, first(handle), handle.field("shadows"));
      case "ModifyExptimeRoute" -> ttl(handle);
      case "ErrorRoute" ->
          McrouterAction.reject(
              handle.child(List.of("response")).flatMap(Source::text).orElse("ErrorRoute"));
      default -> other(handle);
    };
  }

  private McrouterAction other(Handle handle) {
    String shown = handle.type().isEmpty() ? handle.at().shown() : handle.type();
    Optional<Source> child = handle.child(CHILDREN);
    if (handle.field("pool").isPresent()) {
      remarks.add(handle.at(), "no equivalent: " + shown + "; its requests go to its pool");
      return poolRoute(handle);
    }
    if (child.isEmpty()) {
      remarks.add(handle.at(), "no equivalent: " + shown + "; its requests are rejected");
      return McrouterAction.reject(shown + " has no equivalent");
    }
    remarks.add(
        handle.at(), "no equivalent: " + shown + "; its requests go to the first route inside it");
    return first(handle);
  }

  private McrouterAction first(Handle handle) {
    return handle
        .child(CHILDREN)
        .flatMap(child -> children(child).stream().findFirst())
        .orElseGet(() -> McrouterAction.reject(handle.type() + " without children"));
  }

  private McrouterAction pool(Source reference, Optional<Source> hash) {
    String name = pools.pool(reference, hash);
    return name == null ? McrouterAction.reject("no pool for this key") : McrouterAction.pool(name);
  }

  private McrouterAction poolRoute(Handle handle) {
    Source reference = handle.child(List.of("pool")).orElse(handle.at());
    remarkOthers(handle, Set.of("pool", "hash", "shadows"));
    return shadowed(handle, pool(reference, handle.field("hash")), handle.field("shadows"));
  }

  private McrouterAction hashRoute(Handle handle) {
    Optional<Source> children = handle.child(List.of("children"));
    if (children.isPresent()) {
      Handle only = handle(children.get());
      if (only.type().equals(POOL)) {
        return pool(only.at(), handle.isShort() ? Optional.empty() : Optional.of(handle.at()));
      }
      if (children(children.get()).size() > 1) {
        remarks.moves(
            handle.at(),
            "no equivalent: HashRoute distributes keys over several routes; the result has only the"
                + " first of them, so many keys move to other servers");
        return first(handle);
      }
    }
    return other(handle);
  }

  /** The actions of a list, or of one handle; a pool stands for its servers. */
  private List<McrouterAction> children(Source children) {
    if (children.node() instanceof Node.Sequence) {
      return children.items().stream().flatMap(item -> children(item).stream()).toList();
    }
    Handle handle = handle(children);
    return handle.type().equals(POOL)
        ? pools.servers(handle.at()).stream().map(McrouterAction::pool).toList()
        : List.of(action(children));
  }

  /** The pools among the children; other children are remarked on. */
  private List<String> pools(Optional<Source> children) {
    List<String> names = new ArrayList<>();
    children.ifPresent(
        source -> {
          for (McrouterAction action : children(source)) {
            if (!action.isPool()) {
              remarks.add(
                  source,
                  "no equivalent: "
                      + (action.pool() == null
                          ? "anything that is not a pool is left out"
                          : "only the pool " + action.pool() + " of this is used"));
            }
            if (action.pool() != null && !names.contains(action.pool())) {
              names.add(action.pool());
            }
          }
        });
    return names;
  }

  private McrouterAction failover(
      Handle handle, Optional<Source> children, Optional<Long> ttlSeconds) {
    remarkOthers(handle, Set.of("children", "normal", "failover", "failover_exptime"));
    List<String> names = pools(children);
    if (names.isEmpty()) {
      return McrouterAction.reject("no pools");
    }
    McrouterAction own = McrouterAction.pool(names.get(0));
    List<String> rest = names.subList(1, names.size());
    if (rest.isEmpty()) {
      return own;
    }
    return own.with(
        "failover",
        ttlSeconds.isEmpty() ? rest : ordered("pools", rest, "maxTtl", ttlSeconds.get() + "s"));
  }

  private McrouterAction failoverWithTtl(Handle handle) {
    List<Node> both =
        Stream.of("normal", "failover")
            .flatMap(key -> handle.field(key).stream())
            .map(Source::node)
            .toList();
    Source children =
        new Source(
            new Node.Sequence(handle.at().node().line(), handle.at().node().column(), both),
            handle.at().path());
    long ttl =
        handle
            .field("failover_exptime")
            .flatMap(Source::number)
            .filter(n -> n > 0 && n <= YEAR_SECONDS)
            .orElse(DEFAULT_FAILOVER_SECONDS);
    return failover(handle, Optional.of(children), Optional.of(ttl));
  }

  private McrouterAction all(Handle handle, String acks) {
    List<String> names = pools(handle.child(List.of("children")));
    if (names.size() < 2) {
      return names.isEmpty()
          ? McrouterAction.reject("no pools")
          : McrouterAction.pool(names.get(0));
    }
    return McrouterAction.of("replicate", ordered("pools", names, "acks", acks));
  }

  private McrouterAction warmUp(Handle handle) {
    remarkOthers(handle, Set.of("cold", "warm", "enable_metaget"));
    List<String> cold = pools(handle.field("cold"));
    List<String> warm = pools(handle.field("warm"));
    if (cold.isEmpty() || warm.isEmpty() || cold.get(0).equals(warm.get(0))) {
      return other(handle);
    }
    return McrouterAction.of("warmUp", ordered("cold", cold.get(0), "warm", warm.get(0)));
  }

  private McrouterAction migrate(Handle handle) {
    List<String> from = pools(handle.field("from"));
    List<String> to = pools(handle.field("to"));
    Optional<Long> start = handle.field("start_time").flatMap(Source::number);
    if (from.isEmpty() || to.isEmpty() || from.get(0).equals(to.get(0)) || start.isEmpty()) {
      return other(handle);
    }
    long interval =
        handle
            .field("interval")
            .flatMap(Source::number)
            .filter(n -> n > 0)
            .orElse(DEFAULT_MIGRATION_SECONDS);
    remarks.add(
        handle.at(),
        "no equivalent: mcrouter sends deletes to both pools; Sluice sends them to the key's pool");
    // mcrouter moves a key at start_time + interval + its hash % interval: MigrateRoute.h.
    Map<String, Object> migrate = ordered("to", to.get(0), "percent", "100%");
    migrate.put("from", Instant.ofEpochSecond(start.get() + interval).toString());
    migrate.put("until", Instant.ofEpochSecond(start.get() + 2 * interval).toString());
    return McrouterAction.pool(from.get(0)).with("migrate", migrate);
  }

  private McrouterAction ttl(Handle handle) {
    McrouterAction action = first(handle);
    Optional<Long> seconds =
        handle.field("exptime").flatMap(Source::number).filter(n -> n > 0 && n <= YEAR_SECONDS);
    if (seconds.isEmpty() || action.isRejected()) {
      remarks.add(
          handle.at(), "no equivalent: a time to live that is unlimited or already over; left out");
      return action;
    }
    String value = seconds.get() + "s";
    boolean min = handle.field("action").flatMap(Source::text).filter("min"::equals).isPresent();
    return action.with("ttl", min ? Map.of("max", value) : ordered("min", value, "max", value));
  }

  private McrouterAction shadowed(Handle handle, McrouterAction action, Optional<Source> shadows) {
    List<Source> all = shadows.map(Source::items).orElse(List.of());
    if (all.isEmpty()) {
      return action;
    }
    if (all.size() > 1) {
      remarks.add(all.get(1), "no equivalent: more than one shadow; only the first is used");
    }
    Source shadow = all.get(0);
    List<String> target = pools(shadow.get("target"));
    if (target.isEmpty() || !action.isPool() || target.get(0).equals(action.pool())) {
      remarks.add(shadow, "no equivalent: only one pool can be another's shadow; left out");
      return action;
    }
    if (handle.at().get("shadow_policy").isPresent() || shadow.get("index_range").isPresent()) {
      remarks.add(
          shadow, "no equivalent: copies of some servers' requests; Sluice copies those of all");
    }
    Map<String, Object> copies = ordered("pool", target.get(0), "percent", percent(shadow) + "%");
    return action.with("shadow", copies);
  }

  private long percent(Source shadow) {
    Optional<Source> range = shadow.get("key_fraction_range");
    if (range.isEmpty()) {
      return 100;
    }
    remarks.add(
        range.get(), "no equivalent: mcrouter chooses copies by key, Sluice chooses by request");
    List<Double> bounds =
        range.get().items().stream()
            .flatMap(bound -> bound.text().stream())
            .filter(text -> text.matches("[0-9]+(\\.[0-9]+)?"))
            .map(Double::parseDouble)
            .toList();
    double share = bounds.size() == 2 ? bounds.get(1) - bounds.get(0) : 1;
    return Math.max(1, Math.min(100, Math.round(share * 100)));
  }

  private void remarkOthers(Handle handle, Set<String> understood) {
    if (handle.isShort()) {
      return;
    }
    handle
        .at()
        .entries()
        .forEach(
            (key, value) -> {
              if (!understood.contains(key) && !Set.of("type", "name").contains(key)) {
                remarks.add(value, "no equivalent: " + key + " " + value.shown());
              }
            });
  }

  private static Map<String, Object> ordered(
      String key, Object value, String nextKey, Object nextValue) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put(key, value);
    map.put(nextKey, nextValue);
    return map;
  }
}
