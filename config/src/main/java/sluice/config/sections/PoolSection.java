package sluice.config.sections;

import static sluice.config.model.PoolProtocol.EMBEDDED;
import static sluice.config.model.PoolProtocol.IGNITE;
import static sluice.config.model.PoolProtocol.INTERNODE;
import static sluice.config.model.PoolProtocol.MEMCACHED;

import java.util.List;
import java.util.Optional;
import sluice.config.files.AuthFiles;
import sluice.config.files.DictionaryFiles;
import sluice.config.files.TlsFiles;
import sluice.config.model.InternodeFraming;
import sluice.config.model.OnFailure;
import sluice.config.model.PoolConfig;
import sluice.config.model.PoolDialect;
import sluice.config.model.PoolProtocol;
import sluice.config.model.ServerConfig;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Quantities;
import sluice.config.schema.Scalars;
import sluice.config.schema.Type;

/** Description of a pool: its keys, and its record. */
public final class PoolSection {
  public static final Key<PoolProtocol> PROTOCOL =
      Key.optional(
              "protocol",
              Scalars.choice(PoolProtocol.class),
              "What the pool consists of: memcached servers, a store inside this process"
                  + " (`embedded`), a Cassandra node (`internode`), or Apache Ignite nodes.")
          .or("memcached");
  public static final Key<Long> SIZE =
      Key.optional("size", Quantities.size("1MiB", "1024GiB"), "Memory of the embedded store.")
          .or("64MiB")
          .only(EMBEDDED);
  public static final Key<PoolDialect> DIALECT =
      Key.optional(
              "dialect",
              Scalars.choice(PoolDialect.class),
              "Dialect used with the servers; `same` uses the client's.")
          .or("same")
          .only(MEMCACHED);
  public static final Key<List<Checked<ServerConfig>>> SERVERS =
      Key.optional(
              "servers",
              new Type.Items<>("server", Scalars.server(), false),
              "`host:port [weight=N] [name=NAME]`, `[IPv6]:port` or `unix:/path`. The name, or else"
                  + " the address as written, identifies the server on the hash ring.")
          .only(MEMCACHED, IGNITE, INTERNODE);
  public static final Key<Fields> HASH =
      Key.optional("hash", HashSection.LAYOUT.type(), "How keys are distributed over the servers.")
          .only(MEMCACHED, IGNITE);
  public static final Key<Fields> CONNECTIONS =
      Key.optional(
              "connections", ConnectionsSection.LAYOUT.type(), "The connections to each server.")
          .only(MEMCACHED, IGNITE, INTERNODE);
  public static final Key<Long> TIMEOUT =
      Key.optional(
              "timeout",
              Quantities.duration("1ms", "1h"),
              "Response timeout, counted from when the request is sent.")
          .or("500ms")
          .only(MEMCACHED, IGNITE);
  public static final Key<Long> QUEUE_TIMEOUT =
      Key.optional(
              "queueTimeout",
              Quantities.duration("1ms", "1h"),
              "How long a request may wait before it is sent.")
          .orElse("`timeout`")
          .only(MEMCACHED, IGNITE);
  public static final Key<OnFailure> ON_FAILURE =
      Key.optional(
              "onFailure",
              Scalars.choice(OnFailure.class),
              "Reply to a read of many keys if one of the servers fails: an error, or misses for"
                  + " its keys.")
          .or("error");

  private static final Layout<PoolConfig> MULTI_GET_LAYOUT =
      Layout.of(PoolConfig.class).key(ON_FAILURE, PoolConfig::onFailure);

  public static final Key<Fields> MULTI_GET =
      Key.optional("multiGet", MULTI_GET_LAYOUT.type(), "Reads of many keys.")
          .only(MEMCACHED, IGNITE);
  public static final Key<Fields> DISCOVER =
      Key.optional(
              "discover",
              DiscoverSection.LAYOUT.type(),
              "Source from which the servers are learned, instead of `servers`.")
          .only(MEMCACHED, IGNITE);
  public static final Key<Fields> RETRIES =
      Key.optional("retries", RetriesSection.LAYOUT.type(), "Retries of reads; off by default.")
          .only(MEMCACHED, IGNITE);
  public static final Key<Fields> HEALTH =
      Key.optional(
              "health", HealthSection.LAYOUT.type(), "Ejection of failing servers; off by default.")
          .only(MEMCACHED, IGNITE);
  public static final Key<Fields> COMPRESSION =
      Key.optional(
              "compression",
              CompressionSection.LAYOUT.type(),
              "Compression of stored values; off by default.")
          .only(MEMCACHED);
  public static final Key<Fields> VALUES =
      Key.optional(
              "values",
              ValuesSection.LAYOUT.type(),
              "Changes applied to values that clients read; none by default.")
          .only(MEMCACHED);
  public static final Key<Fields> TLS =
      Key.optional(
              "tls",
              PoolTlsSection.LAYOUT.type(),
              "TLS to the servers, whose certificates are always verified; off by default.")
          .only(MEMCACHED, IGNITE, INTERNODE);
  public static final Key<Fields> AUTH =
      Key.optional("auth", PoolAuthSection.LAYOUT.type(), "Login to the servers; off by default.")
          .only(MEMCACHED);
  public static final Key<Fields> IGNITE_ONLY =
      Key.optional("ignite", IgniteSection.LAYOUT.type(), "Settings that only Ignite pools have.")
          .only(IGNITE);
  public static final Key<InternodeFraming> FRAMING =
      Key.optional(
              "framing",
              Scalars.choice(InternodeFraming.class),
              "Internode: framing of messages to the server; `same` keeps the sender's framing.")
          .or("same")
          .only(INTERNODE);

  /** Its keys, and the record's value for each. */
  public static final Layout<PoolConfig> LAYOUT =
      Layout.of(PoolConfig.class)
          .key(PROTOCOL, PoolConfig::protocol)
          .key(SIZE, PoolConfig::sizeBytes)
          .key(DIALECT, PoolConfig::dialect)
          .list(SERVERS, pool -> Optional.of(pool.servers()).filter(s -> !isDiscovered(pool)))
          .section(HASH, HashSection.LAYOUT, pool -> Optional.of(pool.hash()))
          .section(CONNECTIONS, ConnectionsSection.LAYOUT, pool -> Optional.of(pool.connections()))
          .key(TIMEOUT, PoolConfig::timeoutMillis)
          .key(QUEUE_TIMEOUT, PoolConfig::queueTimeoutMillis)
          .section(MULTI_GET, MULTI_GET_LAYOUT)
          .section(DISCOVER, DiscoverSection.LAYOUT, PoolConfig::discover)
          .section(RETRIES, RetriesSection.LAYOUT, PoolConfig::retries)
          .section(HEALTH, HealthSection.LAYOUT, PoolConfig::health)
          .section(COMPRESSION, CompressionSection.LAYOUT, PoolConfig::compression)
          .section(VALUES, ValuesSection.LAYOUT, PoolConfig::values)
          .section(TLS, PoolTlsSection.LAYOUT, PoolConfig::tls)
          .section(AUTH, PoolAuthSection.LAYOUT, PoolConfig::auth)
          .section(IGNITE_ONLY, IgniteSection.LAYOUT, PoolConfig::ignite)
          .key(FRAMING, PoolConfig::framing)
          .showing((pool, key) -> key.isOf(pool.protocol()));

  private PoolSection() {}

  /** Until servers are discovered, there are none to print. */
  private static boolean isDiscovered(PoolConfig pool) {
    return pool.discover().isPresent();
  }

  /** Whether a pool has this protocol; false if the protocol is refused. */
  public static boolean isOf(Fields pool, PoolProtocol protocol) {
    return pool.optional(PROTOCOL).filter(protocol::equals).isPresent();
  }

  /** The record of a valid section. */
  public static PoolConfig bind(
      String name,
      Fields pool,
      TlsFiles tlsFiles,
      AuthFiles authFiles,
      DictionaryFiles dictionaryFiles) {
    PoolProtocol protocol = pool.value(PROTOCOL);
    Fields auth = pool.section(AUTH);
    return new PoolConfig(
        name,
        protocol,
        pool.value(DIALECT),
        protocol == EMBEDDED ? pool.value(SIZE) : 0,
        pool.values(SERVERS),
        pool.written(DISCOVER).map(DiscoverSection::bind),
        HashSection.bind(pool.section(HASH)),
        ConnectionsSection.bind(pool.section(CONNECTIONS), protocol == INTERNODE),
        pool.value(TIMEOUT),
        pool.optional(QUEUE_TIMEOUT).orElse(pool.value(TIMEOUT)),
        pool.section(MULTI_GET).value(ON_FAILURE),
        pool.value(FRAMING),
        pool.written(TLS).map(tls -> PoolTlsSection.bind(tls, tlsFiles)),
        pool.written(COMPRESSION)
            .map(compression -> CompressionSection.bind(compression, dictionaryFiles)),
        pool.written(VALUES).map(ValuesSection::bind),
        authFiles.pool(auth.get(PoolAuthSection.USER), auth.get(PoolAuthSection.PASSWORD_FILE)),
        protocol == IGNITE
            ? Optional.of(IgniteSection.bind(pool.section(IGNITE_ONLY)))
            : Optional.empty(),
        pool.written(HEALTH).map(HealthSection::bind),
        pool.written(RETRIES).map(RetriesSection::bind));
  }
}
