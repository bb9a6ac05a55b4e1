package sluice.config.sections;

import static sluice.config.model.PoolProtocol.IGNITE;
import static sluice.config.model.PoolProtocol.MEMCACHED;

import sluice.config.model.ConnectionsConfig;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Quantities;

/** Description of a pool's {@code connections}: its keys, and its record. */
public final class ConnectionsSection {
  /** The default of a node's {@code internode_tcp_connect_timeout}. */
  private static final long INTERNODE_CONNECT_MILLIS = 2_000;

  public static final Key<Integer> PER_EVENT_LOOP =
      Key.optional(
              "perEventLoop",
              Quantities.integer(1, 64),
              "Shared connections from each event loop to each server.")
          .or("1")
          .only(MEMCACHED, IGNITE);
  public static final Key<Integer> STREAMS =
      Key.optional(
              "streams",
              Quantities.integer(1, 1024),
              "Exclusive connections from each event loop to each server for large values that are"
                  + " still arriving. As many more carry values that have arrived completely.")
          .or("4")
          .only(MEMCACHED, IGNITE);
  public static final Key<Integer> MAX =
      Key.optional(
              "max",
              Quantities.integer(0, 1024),
              "Shared connections from all event loops together to each server. If above 0, it"
                  + " replaces perEventLoop.")
          .or("0")
          .only(MEMCACHED, IGNITE);
  public static final Key<Long> CONNECT_TIMEOUT =
      Key.optional(
              "connectTimeout",
              Quantities.duration("1ms", "1h"),
              "Connect timeout, including the name lookup and the TLS handshake. For internode"
                  + " pools, the default is 2s, as between Cassandra nodes.")
          .or("1s");
  public static final Key<Long> IDLE =
      Key.optional(
              "idle",
              Quantities.durationOrNever("1ms", "365d"),
              "A connection that is unused for this long is closed.")
          .or("never")
          .only(MEMCACHED, IGNITE);
  public static final Key<Long> PROBE_AFTER =
      Key.optional(
              "probeAfter",
              Quantities.duration("1ms", "1h"),
              "Delay before the next attempt to reach an unreachable server. A connection that has"
                  + " been silent for this long is also probed before its next request.")
          .or("1s")
          .only(MEMCACHED, IGNITE);

  /** Its keys, and the record's value for each. */
  public static final Layout<ConnectionsConfig> LAYOUT =
      Layout.of(ConnectionsConfig.class)
          .key(PER_EVENT_LOOP, ConnectionsConfig::perEventLoop)
          .key(STREAMS, ConnectionsConfig::streams)
          .key(MAX, ConnectionsConfig::max)
          .key(CONNECT_TIMEOUT, ConnectionsConfig::connectTimeoutMillis)
          .key(IDLE, ConnectionsConfig::idleMillis)
          .key(PROBE_AFTER, ConnectionsConfig::probeAfterMillis);

  private ConnectionsSection() {}

  /** The record of a valid section. */
  static ConnectionsConfig bind(Fields connections, boolean internode) {
    return new ConnectionsConfig(
        connections.value(PER_EVENT_LOOP),
        connections.value(STREAMS),
        connections.value(MAX),
        // A link's initiator waits for the connection as long as it would for the node itself.
        internode && !connections.isWritten(CONNECT_TIMEOUT)
            ? INTERNODE_CONNECT_MILLIS
            : connections.value(CONNECT_TIMEOUT),
        connections.value(IDLE),
        connections.value(PROBE_AFTER));
  }
}
