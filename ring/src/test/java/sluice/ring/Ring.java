package sluice.ring;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.DriverException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Two nodes with everything they send each other going through a {@link Between}. It knows when it
 * is whole: then no request may fail.
 */
final class Ring implements AutoCloseable {

  /** The keyspace whose rows both nodes hold. */
  static final String KEYSPACE = "sluice";

  private static final Duration HEALS = Duration.ofSeconds(90);
  private static final int LARGE = 100_000; // more than a frame: travels on the LARGE connection

  private final Loopback network;
  private final Between between;
  private final List<CassandraNode> nodes = new ArrayList<>();
  private final AtomicReferenceArray<Coordinator> coordinators;
  private final AtomicInteger era = new AtomicInteger(1); // odd: something is down

  private Ring(
      Loopback network,
      CassandraRelease release,
      List<NodeSettings> settings,
      Between between,
      Path where) {
    this.network = network;
    this.between = between;
    for (NodeSettings one : settings) {
      nodes.add(new CassandraNode(release, one, where));
    }
    this.coordinators = new AtomicReferenceArray<>(nodes.size());
  }

  /**
   * Two nodes that are reached at the addresses of what is between them, and know themselves and
   * each other by these. The first sends CRC frames, the second LZ4.
   *
   * @param between makes what stands between them, from its two links
   */
  static Ring behind(CassandraRelease release, Path where, Function<List<Link>, Between> between) {
    return behind(release, where, Framing.CRC, Framing.LZ4, between);
  }

  /** As the other one, with two nodes that send frames of these framings. */
  static Ring behind(
      CassandraRelease release,
      Path where,
      Framing first,
      Framing second,
      Function<List<Link>, Between> between) {
    Loopback network = Loopback.free(NodeSettings.STORAGE_PORT);
    List<NodeSettings> settings = known(network, first, second, "");
    return new Ring(network, release, settings, between.apply(links(network)), where);
  }

  /**
   * As {@link #behind}; nodes take nothing that is not encrypted, and show each other certificates.
   *
   * @param between makes what stands between them, with certificates of its own
   */
  static Ring encrypted(
      CassandraRelease release, Path where, BiFunction<List<Link>, RingKeys, Between> between) {
    Loopback network = Loopback.free(NodeSettings.STORAGE_PORT);
    RingKeys keys = new RingKeys(where, network);
    List<NodeSettings> settings =
        known(network, Framing.CRC, Framing.LZ4, keys.encryptionOptions());
    return new Ring(network, release, settings, between.apply(links(network), keys), where);
  }

  /** Nodes that call themselves what stands before them. */
  private static List<NodeSettings> known(
      Loopback network, Framing first, Framing second, String encryption) {
    return List.of(
        new NodeSettings(
            "node1", network.host(2), network.host(12), network.host(12), first, encryption),
        new NodeSettings(
            "node2", network.host(3), network.host(13), network.host(12), second, encryption));
  }

  /**
   * Two nodes that know themselves by the addresses that they listen on, and each other by those of
   * what is between them, so that it has to translate.
   *
   * @param between makes what stands between them, from two passages with the addresses to map
   */
  static Ring mapped(
      CassandraRelease release, Path where, Function<List<Passage>, Between> between) {
    Loopback network = Loopback.free(NodeSettings.STORAGE_PORT);
    List<NodeSettings> settings =
        List.of(
            new NodeSettings(
                "node1", network.host(2), network.host(2), network.host(2), Framing.CRC, ""),
            new NodeSettings(
                "node2", network.host(3), network.host(3), network.host(12), Framing.LZ4, ""));
    List<Link> links = links(network);
    List<Passage> passages =
        List.of(
            new Passage(
                links.get(0),
                List.of(),
                Map.of(network.host(3), network.host(13)),
                Map.of(network.host(12), network.host(2))),
            new Passage(
                links.get(1),
                List.of(),
                Map.of(network.host(2), network.host(12)),
                Map.of(network.host(13), network.host(3))));
    return new Ring(network, release, settings, between.apply(passages), where);
  }

  private static List<Link> links(Loopback network) {
    return List.of(
        link(network.host(12), network.host(2)), link(network.host(13), network.host(3)));
  }

  private static Link link(InetAddress listener, InetAddress node) {
    return new Link(
        new InetSocketAddress(listener, NodeSettings.STORAGE_PORT),
        new InetSocketAddress(node, NodeSettings.STORAGE_PORT));
  }

  /** An empty directory under {@code target/ring}; what is put there is kept until the next run. */
  static Path newDirectory(String name) throws IOException {
    Path directory = Path.of("target", "ring", name).toAbsolutePath();
    if (Files.exists(directory)) {
      List<Path> old;
      try (Stream<Path> files = Files.walk(directory)) {
        old = files.sorted(Comparator.reverseOrder()).toList();
      }
      for (Path file : old) {
        Files.delete(file);
      }
    }
    return Files.createDirectories(directory);
  }

  /** Starts everything and makes the keyspace; the ring is whole afterwards. */
  void form(Framing framing) {
    between.start(framing);
    for (int node = 0; node < nodes.size(); node++) {
      launch(node);
    }
    change(
        0,
        "CREATE KEYSPACE %s WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 2}"
            .formatted(KEYSPACE));
    change(0, "CREATE TABLE " + KEYSPACE + ".probe (k int PRIMARY KEY, v blob)");
    awaitWhole();
  }

  /** What {@link #join} can be asked for. */
  Set<Framing> framings() {
    return between.framings();
  }

  /** Where everybody is: nodes listen on hosts 2 and 3, what is between them on 12 and 13. */
  Loopback network() {
    return network;
  }

  CassandraNode node(int node) {
    return nodes.get(node);
  }

  List<CassandraNode> nodes() {
    return nodes;
  }

  /** A session with that node, or null while it is down. */
  Coordinator coordinator(int node) {
    return coordinators.get(node);
  }

  /** A number that is even while everything is up, and another one every time that changes. */
  int era() {
    return era.get();
  }

  /** Changes the schema by that node; returns when all nodes have the same one. */
  void change(int node, String cql) {
    Coordinator.change(List.of(coordinator(node), coordinator(1 - node)), cql);
  }

  void stop(int node) {
    disturb();
    coordinators.getAndSet(node, null).close();
    nodes.get(node).stop();
  }

  /** Returns when the ring is whole again. */
  void start(int node) {
    launch(node);
    awaitWhole();
  }

  private void launch(int node) {
    nodes.get(node).start();
    nodes.get(node).awaitReady();
    coordinators.set(node, new Coordinator(nodes.get(node).nativeAddress()));
  }

  /** Ends what is between the nodes; returns when a write has failed for it. */
  void cut() {
    disturb();
    between.kill();
    Await.until(
        HEALS,
        () -> "a write at ALL fails without what is between the nodes",
        () -> !passes(0, ConsistencyLevel.ALL));
  }

  /** Starts again what is between the nodes; returns when the ring is whole again. */
  void join(Framing framing) {
    between.start(framing);
    awaitWhole();
  }

  private void disturb() {
    if (isWhole(era.get())) {
      era.incrementAndGet();
    }
  }

  static boolean isWhole(int era) {
    return era % 2 == 0;
  }

  private void awaitWhole() {
    for (int node = 0; node < nodes.size(); node++) {
      int coordinator = node;
      Await.until(
          HEALS,
          () -> "a write and a read at ALL by " + nodes.get(coordinator).settings().name(),
          () -> passes(coordinator, ConsistencyLevel.ALL));
    }
    if (!isWhole(era.get())) {
      era.incrementAndGet();
    }
  }

  private boolean passes(int node, ConsistencyLevel level) {
    try {
      for (int length : new int[] {1, LARGE}) {
        coordinator(node)
            .ask(
                level,
                "INSERT INTO " + KEYSPACE + ".probe (k, v) VALUES (?, ?)",
                length,
                ByteBuffer.allocate(length));
        coordinator(node).ask(level, "SELECT v FROM " + KEYSPACE + ".probe WHERE k = ?", length);
      }
      return true;
    } catch (DriverException e) {
      return false;
    }
  }

  @Override
  public void close() {
    for (int node = 0; node < nodes.size(); node++) {
      Coordinator coordinator = coordinators.getAndSet(node, null);
      if (coordinator != null) {
        coordinator.close();
      }
    }
    nodes.forEach(CassandraNode::close);
    between.close();
  }
}
