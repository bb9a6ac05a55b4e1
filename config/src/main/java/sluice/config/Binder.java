package sluice.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import sluice.config.files.AuthFiles;
import sluice.config.files.TlsFiles;
import sluice.config.model.Acks;
import sluice.config.model.Address;
import sluice.config.model.AddressesConfig;
import sluice.config.model.AdminConfig;
import sluice.config.model.ClientAuth;
import sluice.config.model.CompressionAlgorithm;
import sluice.config.model.CompressionConfig;
import sluice.config.model.Configuration;
import sluice.config.model.ConnectionsConfig;
import sluice.config.model.Counters;
import sluice.config.model.DiscoverConfig;
import sluice.config.model.DiscoverSource;
import sluice.config.model.DurationRange;
import sluice.config.model.FailoverConfig;
import sluice.config.model.GuardedCommand;
import sluice.config.model.HashConfig;
import sluice.config.model.HealthConfig;
import sluice.config.model.IgniteConfig;
import sluice.config.model.InternodeFraming;
import sluice.config.model.KeyConfig;
import sluice.config.model.LimitConfig;
import sluice.config.model.LimitsConfig;
import sluice.config.model.ListenerConfig;
import sluice.config.model.ListenerProtocol;
import sluice.config.model.ListenerTlsConfig;
import sluice.config.model.LogsConfig;
import sluice.config.model.MigrateConfig;
import sluice.config.model.NearCacheConfig;
import sluice.config.model.NodeName;
import sluice.config.model.OnCorrupt;
import sluice.config.model.OnFailure;
import sluice.config.model.PeerName;
import sluice.config.model.PlainValues;
import sluice.config.model.PoolConfig;
import sluice.config.model.PoolDialect;
import sluice.config.model.PoolProtocol;
import sluice.config.model.PoolTlsConfig;
import sluice.config.model.ProcessConfig;
import sluice.config.model.Reads;
import sluice.config.model.Ready;
import sluice.config.model.ReplacementConfig;
import sluice.config.model.ReplicateConfig;
import sluice.config.model.RetriesConfig;
import sluice.config.model.RouteConfig;
import sluice.config.model.RuleConfig;
import sluice.config.model.ServerConfig;
import sluice.config.model.ShadowConfig;
import sluice.config.model.SplitConfig;
import sluice.config.model.TlsAuthorities;
import sluice.config.model.Transport;
import sluice.config.model.TtlConfig;
import sluice.config.model.ValuesConfig;
import sluice.config.rules.RuleFields;
import sluice.config.schema.Checked;
import sluice.config.schema.Checked.Fields;
import sluice.names.Dialect;
import sluice.names.Distribution;
import sluice.names.HashFunction;

/** Makes the records of what was checked and found without fault. */
final class Binder {
  /** As {@code internode_tcp_connect_timeout} of a node. */
  private static final long INTERNODE_CONNECT_MILLIS = 2_000;

  private final TlsFiles tlsFiles;
  private final AuthFiles authFiles;

  /** Of the files that were read when they were checked. */
  Binder(TlsFiles tlsFiles, AuthFiles authFiles) {
    this.tlsFiles = tlsFiles;
    this.authFiles = authFiles;
  }

  Configuration bind(Fields file, Map<String, String> references) {
    Fields admin = file.section("admin");
    return new Configuration(
        new AdminConfig(
            admin.value("bind", Address.class),
            admin.value("ready", Ready.class),
            listenerTls(admin.get("tls")),
            authFiles.listener(admin.section("auth"))),
        process(file.section("process")),
        byName(file.get("listeners"), this::listener),
        byName(file.get("routes"), Binder::route),
        byName(file.get("pools"), this::pool),
        logs(file.section("logs")),
        references);
  }

  private static <T> Map<String, T> byName(Checked named, BiFunction<String, Checked, T> each) {
    Map<String, T> bound = new LinkedHashMap<>();
    named.named().forEach((name, value) -> bound.put(name, each.apply(name, value)));
    return bound;
  }

  private static ProcessConfig process(Fields process) {
    return new ProcessConfig(
        (int) process.number("eventLoops"),
        process.value("transport", Transport.class),
        process.number("drain"),
        process.number("memory"));
  }

  private static LogsConfig logs(Fields logs) {
    return new LogsConfig(
        written(logs.get("slow")).map(slow -> slow.number("above")),
        written(logs.get("access")).map(access -> (int) access.number("sample")));
  }

  private ListenerConfig listener(String name, Checked checked) {
    Fields listener = checked.fields();
    Fields limits = listener.section("limits");
    return new ListenerConfig(
        name,
        listener.value("bind", Address.class),
        listener.value("protocol", ListenerProtocol.class),
        Set.copyOf(listener.list("dialects", Dialect.class)),
        listener.text("route"),
        new LimitsConfig(
            (int) limits.number("connections"),
            (int) limits.number("inFlight"),
            limits.number("itemSize"),
            limits.number("outBuffer"),
            limits.number("stall"),
            idleMillis(listener, limits),
            limits.number("maxAge"),
            limits.number("messageSize"),
            limits.number("inFlightBytes"),
            limits.number("handshake")),
        Set.copyOf(listener.list("allow", GuardedCommand.class)),
        listener.scalar("node", Address.Tcp.class),
        List.copyOf(listener.list("peers", PeerName.class)),
        listener.scalar("strict", Boolean.class).orElse(false),
        listenerTls(listener.get("tls")),
        authFiles.listener(listener.section("auth")));
  }

  /** Nodes may have nothing to say to each other for days; a client that has not is forgotten. */
  private static long idleMillis(Fields listener, Fields limits) {
    boolean internode =
        listener.value("protocol", ListenerProtocol.class) == ListenerProtocol.INTERNODE;
    return internode && !limits.get("idle").written() ? LimitsConfig.NEVER : limits.number("idle");
  }

  private Optional<ListenerTlsConfig> listenerTls(Checked checked) {
    if (!checked.written()) {
      return Optional.empty();
    }
    Fields tls = checked.fields();
    Optional<TlsAuthorities> clientCa = tlsFiles.authorities(tls.get("clientCa"));
    ClientAuth unwritten = clientCa.isPresent() ? ClientAuth.REQUIRE : ClientAuth.NONE;
    return Optional.of(
        new ListenerTlsConfig(
            tlsFiles.identity(tls).orElseThrow(),
            clientCa,
            tls.scalar("clientAuth", ClientAuth.class).orElse(unwritten),
            tls.scalar("plain", Boolean.class).orElse(false)));
  }

  private Optional<PoolTlsConfig> poolTls(Checked checked) {
    if (!checked.written()) {
      return Optional.empty();
    }
    Fields tls = checked.fields();
    return Optional.of(
        new PoolTlsConfig(
            tlsFiles.authorities(tls.get("ca")),
            tlsFiles.identity(tls),
            tls.scalar("serverName", String.class)));
  }

  /** A link's initiator waits for it, as long as it would for the node itself. */
  private static long connectTimeout(Fields pool, Checked connectTimeout) {
    boolean internode = pool.value("protocol", PoolProtocol.class) == PoolProtocol.INTERNODE;
    return internode && !connectTimeout.written()
        ? INTERNODE_CONNECT_MILLIS
        : (long) connectTimeout.value().orElseThrow();
  }

  private static RouteConfig route(String name, Checked checked) {
    return new RouteConfig(name, checked.items().stream().map(r -> rule(r.fields())).toList());
  }

  private static RuleConfig rule(Fields rule) {
    Fields key = rule.section("key");
    Optional<ReplicateConfig> replicate = written(rule.get("replicate")).map(Binder::replicate);
    return new RuleConfig(
        RuleFields.match(rule.section("match")),
        rule.scalar("pool", String.class)
            .or(() -> replicate.map(r -> r.pools().get(0)))
            .or(() -> rule.section("warmUp").scalar("cold", String.class)),
        new KeyConfig(key.text("strip"), key.text("add")),
        rule.scalar("reject", String.class),
        new AddressesConfig(
            nodes(rule.section("addresses").get("from")),
            nodes(rule.section("addresses").get("to"))),
        written(rule.get("failover"))
            .map(f -> new FailoverConfig(f.list("pools", String.class), f.number("maxTtl"))),
        written(rule.get("migrate")).map(Binder::migrate),
        written(rule.get("ttl"))
            .map(
                ttl ->
                    new TtlConfig(
                        ttl.scalar("min", Long.class).orElse(0L),
                        ttl.number("max"),
                        ttl.scalar("jitter", Long.class).orElse(0L).intValue())),
        replicate,
        written(rule.get("shadow"))
            .map(s -> new ShadowConfig(s.text("pool"), (int) s.number("percent"))),
        rule.section("warmUp").scalar("warm", String.class),
        rule.scalar("stripToken", Boolean.class).orElse(false),
        written(rule.get("limit")).map(Binder::limit),
        written(rule.get("nearCache"))
            .map(near -> new NearCacheConfig(near.number("size"), near.number("ttl"))),
        written(rule.get("split"))
            .map(split -> new SplitConfig(split.number("above"), (int) split.number("flag"))));
  }

  private static LimitConfig limit(Fields limit) {
    int rate = (int) limit.number("rate");
    return new LimitConfig(
        rate, limit.scalar("burst", Long.class).map(Long::intValue).orElse(rate));
  }

  private static ReplicateConfig replicate(Fields replicate) {
    return new ReplicateConfig(
        replicate.list("pools", String.class),
        replicate.value("acks", Acks.class),
        replicate.value("reads", Reads.class));
  }

  private static MigrateConfig migrate(Fields migrate) {
    return new MigrateConfig(
        migrate.text("to"),
        (int) migrate.number("percent"),
        migrate
            .scalar("from", Long.class)
            .map(from -> new MigrateConfig.Period(from, migrate.number("until"))));
  }

  private static Map<NodeName, NodeName> nodes(Checked pairs) {
    Map<NodeName, NodeName> nodes = new LinkedHashMap<>();
    for (Checked pair : pairs.items()) {
      Fields fields = pair.fields();
      nodes.put(fields.value("key", NodeName.class), fields.value("value", NodeName.class));
    }
    return nodes;
  }

  private PoolConfig pool(String name, Checked checked) {
    Fields pool = checked.fields();
    Fields hash = pool.section("hash");
    Fields connections = pool.section("connections");
    PoolProtocol protocol = pool.value("protocol", PoolProtocol.class);
    List<ServerConfig> servers = pool.list("servers", ServerConfig.class);
    long timeoutMillis = pool.number("timeout");
    return new PoolConfig(
        name,
        protocol,
        pool.value("dialect", PoolDialect.class),
        protocol == PoolProtocol.EMBEDDED ? pool.number("size") : 0,
        servers,
        written(pool.get("discover")).map(Binder::discover),
        new HashConfig(
            hash.value("function", HashFunction.class),
            hash.value("distribution", Distribution.class),
            hash.scalar("tag", String.class),
            hash.number("slowStart")),
        new ConnectionsConfig(
            (int) connections.number("perEventLoop"),
            (int) connections.number("streams"),
            (int) connections.number("max"),
            connectTimeout(pool, connections.get("connectTimeout")),
            connections.number("idle"),
            connections.number("probeAfter")),
        timeoutMillis,
        pool.scalar("queueTimeout", Long.class).orElse(timeoutMillis),
        pool.section("multiGet").value("onFailure", OnFailure.class),
        pool.value("framing", InternodeFraming.class),
        poolTls(pool.get("tls")),
        written(pool.get("compression")).map(Binder::compression),
        written(pool.get("values")).map(Binder::values),
        authFiles.pool(pool.section("auth")),
        Optional.of(pool.section("ignite"))
            .filter(i -> protocol == PoolProtocol.IGNITE)
            .map(Binder::ignite),
        written(pool.get("health")).map(Binder::health),
        written(pool.get("retries"))
            .map(r -> new RetriesConfig((int) r.number("max"), (int) r.number("budget"))));
  }

  private static HealthConfig health(Fields health) {
    return new HealthConfig(
        (int) health.number("failures"),
        health.number("slow"),
        health.number("probe"),
        health.value("ejectFor", DurationRange.class),
        (int) health.number("maxEjected"),
        health.scalar("rehash", Boolean.class).orElse(true));
  }

  private static DiscoverConfig discover(Fields discover) {
    DiscoverSource source =
        Stream.of(DiscoverSource.values())
            .filter(s -> discover.get(s.label()).written())
            .findFirst()
            .orElseThrow();
    Address.Tcp asked =
        source == DiscoverSource.SRV
            ? new Address.Tcp(discover.text("srv").toLowerCase(Locale.ROOT), 0)
            : discover.value(source.label(), Address.Tcp.class);
    return new DiscoverConfig(
        source,
        asked.host(),
        asked.port(),
        discover.number("every"),
        (int) discover.number("minimum"),
        discover.scalar("nameServer", NodeName.class));
  }

  private static Optional<Fields> written(Checked section) {
    return Optional.of(section).filter(Checked::written).map(Checked::fields);
  }

  private static CompressionConfig compression(Fields compression) {
    return new CompressionConfig(
        compression.value("algorithm", CompressionAlgorithm.class),
        compression.number("above"),
        (int) compression.number("keepIfUnder"),
        (int) compression.number("flag"),
        (int) compression.number("alreadyCompressed"),
        compression.value("onCorrupt", OnCorrupt.class));
  }

  private static ValuesConfig values(Fields values) {
    return new ValuesConfig(
        values.get("replace").items().stream()
            .map(Checked::fields)
            .map(r -> new ReplacementConfig(r.text("find"), r.text("with")))
            .toList(),
        values.scalar("plain", PlainValues.class));
  }

  private static IgniteConfig ignite(Fields ignite) {
    return new IgniteConfig(ignite.text("cacheName"), ignite.value("counters", Counters.class));
  }
}
