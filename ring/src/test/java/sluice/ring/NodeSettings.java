package sluice.ring;

import java.net.InetAddress;

/**
 * What differs from node to node.
 *
 * @param name of its directory
 * @param listen where it binds, for other nodes and for clients
 * @param broadcast who it says it is: the address at which other nodes reach it
 * @param seed the broadcast address of the node that it joins by, as this node knows it
 * @param sends the framing of what it sends: {@code CRC} or {@code LZ4}
 * @param encryption further keys of its {@code cassandra.yaml}, none if it speaks without
 */
record NodeSettings(
    String name,
    InetAddress listen,
    InetAddress broadcast,
    InetAddress seed,
    Framing sends,
    String encryption) {

  /** What other nodes connect to; the same everywhere, as identities include it. */
  static final int STORAGE_PORT = 7000;

  /** CQL. */
  static final int NATIVE_PORT = 9042;

  /**
   * Its {@code cassandra.yaml}. Timeouts are longer than the defaults, for two nodes and a test
   * share two cores. Hints are off: what a node missed while it was down is the repair's to bring.
   */
  String yaml() {
    return """
    cluster_name: sluice
    num_tokens: 4
    partitioner: org.apache.cassandra.dht.Murmur3Partitioner
    endpoint_snitch: SimpleSnitch
    seed_provider:
      - class_name: org.apache.cassandra.locator.SimpleSeedProvider
        parameters: [{seeds: "%s:%d"}]
    listen_address: %s
    broadcast_address: %s
    storage_port: %d
    rpc_address: %s
    native_transport_port: %d
    internode_compression: %s
    hinted_handoff_enabled: false
    commitlog_sync: periodic
    commitlog_sync_period: 10s
    memtable_heap_space: 64MiB
    write_request_timeout: 5s
    read_request_timeout: 10s
    range_request_timeout: 20s
    %s
    """
        .formatted(
            seed.getHostAddress(),
            STORAGE_PORT,
            listen.getHostAddress(),
            broadcast.getHostAddress(),
            STORAGE_PORT,
            listen.getHostAddress(),
            NATIVE_PORT,
            sends == Framing.LZ4 ? "all" : "none",
            encryption);
  }
}
