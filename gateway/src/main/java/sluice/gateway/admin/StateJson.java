package sluice.gateway.admin;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import sluice.config.model.AddressBlock;
import sluice.config.model.ListenerConfig;
import sluice.config.model.ListenerProtocol;
import sluice.config.model.ProxyProtocolConfig;
import sluice.gateway.samples.HotKeys;
import sluice.gateway.samples.KeyText;
import sluice.names.Dialect;
import sluice.names.Version;

/** JSON form of this package's records. Scripts rely on the member names. */
final class StateJson {
  private StateJson() {}

  static JsonObject error(@Nullable String message) {
    return new JsonObject().put("error", message);
  }

  static JsonObject version() {
    return new JsonObject()
        .put("version", Version.current())
        .put("java", Runtime.version().toString());
  }

  static JsonObject readiness(Readiness readiness) {
    return new JsonObject()
        .put("ready", readiness.ready())
        .put("phase", readiness.phase().label())
        .put("readyMeans", readiness.routesMatter() ? "routes" : "process")
        .put("unusableRoutes", array(readiness.unusableRoutes(), StateJson::unusableRoute))
        .put("configurationProblems", new JsonArray(readiness.configurationProblems()))
        .put("inFlight", readiness.inFlight());
  }

  private static JsonObject unusableRoute(Readiness.UnusableRoute unusable) {
    return new JsonObject().put("route", unusable.route()).put("why", unusable.why());
  }

  static JsonObject process(ProcessState process, PermissionToChange permission) {
    Instant reloaded = process.reloaded();
    return version()
        .put("file", process.file())
        .put("started", process.started().toString())
        .put("reloaded", reloaded == null ? null : reloaded.toString())
        .put("problems", new JsonArray(process.problems()))
        .put("certificates", array(process.certificates(), StateJson::certificate))
        .put("mayChange", permission.label());
  }

  private static JsonObject certificate(ProcessState.Certificate certificate) {
    return new JsonObject()
        .put("usedBy", certificate.usedBy())
        .put("file", certificate.file())
        .put("subject", certificate.subject())
        .put("expires", certificate.expires().toString());
  }

  static JsonArray routes(List<RouteState> routes) {
    return array(
        routes,
        route ->
            new JsonObject()
                .put("name", route.name())
                .put("listeners", new JsonArray(route.listeners()))
                .put("rules", array(route.rules(), StateJson::rule)));
  }

  private static JsonObject rule(RouteState.Rule rule) {
    return new JsonObject()
        .put("match", rule.match())
        .put("pool", rule.pool())
        .put("reject", rule.reject())
        .put("pools", new JsonArray(rule.pools()))
        .put("policies", new JsonArray(rule.policies()));
  }

  static JsonArray listeners(List<ListenerState> listeners) {
    return array(listeners, StateJson::listener);
  }

  private static JsonObject listener(ListenerState listener) {
    ListenerConfig config = listener.config();
    JsonObject json =
        new JsonObject()
            .put("name", config.name())
            .put("address", listener.address())
            .put("protocol", config.protocol().label())
            .put("dialects", dialects(config))
            .put("route", config.route())
            .put("connections", listener.connections());
    config.proxyProtocol().ifPresent(proxies -> json.put("proxyProtocol", blocks(proxies)));
    if (!listener.links().isEmpty()) {
      json.put("links", new JsonObject(new LinkedHashMap<>(listener.links())));
    }
    return json;
  }

  /** The dialects of a listener; none for nodes, which speak no dialect of memcached. */
  private static JsonArray dialects(ListenerConfig listener) {
    return listener.protocol() == ListenerProtocol.INTERNODE
        ? new JsonArray()
        : new JsonArray(listener.dialects().stream().map(Dialect::label).toList());
  }

  /** The proxies that a listener trusts, as the configuration names them. */
  private static JsonArray blocks(ProxyProtocolConfig proxies) {
    return new JsonArray(proxies.from().stream().map(AddressBlock::label).toList());
  }

  static JsonArray pools(List<PoolState> pools) {
    return array(pools, StateJson::pool);
  }

  private static JsonObject pool(PoolState pool) {
    JsonObject json = new JsonObject().put("name", pool.name()).put("protocol", pool.protocol());
    PoolState.Discovery discovery = pool.discovery();
    if (discovery != null) {
      json.put("discovery", discovery(discovery));
    }
    return json.put("ejects", pool.ejects())
        .put("servers", array(pool.servers(), StateJson::server));
  }

  private static JsonObject discovery(PoolState.Discovery discovery) {
    return new JsonObject()
        .put("from", discovery.from())
        .put("answered", discovery.answered() == null ? null : discovery.answered().toString())
        .put("problem", discovery.problem())
        .put("since", discovery.since().toString())
        .put("remark", discovery.remark());
  }

  private static JsonObject server(ServerState server) {
    return new JsonObject()
        .put("server", server.server())
        .put("state", server.condition().label())
        .put("why", server.why())
        .put("since", server.since().toString())
        .put("inFlight", server.inFlight())
        .put("connections", server.connections())
        .put("version", server.version())
        .put("ejections", server.ejections())
        .put(
            "singleKeyGetsSince",
            server.singleKeyGetsSince() == null ? null : server.singleKeyGetsSince().toString());
  }

  static JsonObject hotKeys(HotKeys.Snapshot snapshot, long dropped) {
    return new JsonObject()
        .put("since", snapshot.since().toString())
        .put("dropped", dropped)
        .put("groups", array(snapshot.groups(), StateJson::hotKeys));
  }

  private static JsonObject hotKeys(HotKeys.Group group) {
    return new JsonObject()
        .put("listener", group.listener())
        .put("pool", group.pool())
        .put("requests", group.requests())
        .put("sampled", group.sampled())
        .put("keys", array(group.keys(), StateJson::hotKey));
  }

  private static JsonObject hotKey(HotKeys.HotKey key) {
    return new JsonObject()
        .put("key", KeyText.of(key.key()))
        .put("share", rounded(key.share()))
        .put("error", rounded(key.error()));
  }

  /** Rounded to the precision that the estimate has. */
  private static double rounded(double share) {
    return Math.round(share * 10_000) / 10_000.0;
  }

  static JsonObject explanation(Explanation explanation) {
    return new JsonObject()
        .put("rule", explanation.rule())
        .put("key", explanation.key())
        .put("pool", explanation.pool())
        .put("server", explanation.server())
        .put("fallbacks", new JsonArray(explanation.fallbacks()))
        .put("why", new JsonArray(explanation.why()));
  }

  private static <T> JsonArray array(List<T> items, Function<T, JsonObject> toJson) {
    JsonArray array = new JsonArray();
    for (T item : items) {
      array.add(toJson.apply(item));
    }
    return array;
  }
}
