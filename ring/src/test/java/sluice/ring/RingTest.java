package sluice.ring;

import static com.datastax.oss.driver.api.core.ConsistencyLevel.ALL;
import static com.datastax.oss.driver.api.core.ConsistencyLevel.ONE;
import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.cql.Row;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A ring does everything a ring does while all internode traffic goes through what stands between
 * its nodes: nothing fails but while something is down, and every row is read back equal.
 */
@Tag("ring")
class RingTest {

  /** The system property that names what stands between the nodes: gateway or relay. */
  private static final String PROPERTY = "sluice.ring.between";

  private static final Logger LOG = LoggerFactory.getLogger(RingTest.class);
  private static final int SMALL = 200;
  private static final int LARGE = 1 << 20;

  private static final Duration LOGGED = Duration.ofSeconds(20);

  private static final Pattern STREAMED =
      Pattern.compile("\\[Stream #\\S+\\] All sessions completed");

  private final Rows rows = new Rows(Ring.KEYSPACE + ".kv");
  private final Rows emptied = new Rows(Ring.KEYSPACE + ".emptied");
  private int changes;

  static Stream<CassandraRelease> releases() {
    return CassandraRelease.underTest();
  }

  @ParameterizedTest(name = "Cassandra {0}")
  @MethodSource("releases")
  @Timeout(value = 6, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void shouldKeepEveryRowWhateverStopsAndStarts(CassandraRelease release) throws IOException {
    Path directory = Ring.newDirectory(release.version());
    try (Ring ring = Ring.behind(release, directory, links -> between(directory, links))) {
      step("two nodes form a ring");
      long[] marks = marks(ring);
      ring.form(Framing.SAME);
      rows.create(ring);
      emptied.create(ring);
      try (Traffic traffic = Traffic.start(ring)) {
        everything(ring);
        verifyFraming(ring, Framing.SAME, marks);
        traffic.verifyNothingFailed();

        step("a node stops, misses rows, starts, is repaired");
        missRows(ring, 1, 0);
        step("rebuild");
        rebuild(ring, 1);
        step("the other node is gone, so the repaired one answers alone");
        ring.stop(0);
        rows.verify(ring.coordinator(1), ONE);
        ring.start(0);
        traffic.verifyNothingFailed();

        for (Framing framing : framings(ring)) {
          step("what is between the nodes is killed, and started with framing " + framing);
          marks = marks(ring);
          ring.cut();
          ring.join(framing);
          everything(ring);
          verifyFraming(ring, framing, marks);
          traffic.verifyNothingFailed();
        }
        step("every row is read back");
        traffic.finish();
        for (int node = 0; node < 2; node++) {
          rows.verify(ring.coordinator(node), ALL);
          verifyNothingCorrupt(ring, node);
        }
      }
      step("done");
    }
  }

  /**
   * The framings with which what is between the nodes is started again. The ring was formed with
   * SAME, so this is left to long runs, except for a relay, which has no other.
   */
  private static Set<Framing> framings(Ring ring) {
    Set<Framing> framings = ring.framings();
    return framings.size() == 1 || CassandraRelease.areSeveralUnderTest()
        ? framings
        : EnumSet.complementOf(EnumSet.of(Framing.SAME));
  }

  /** The gateway or, to prove the test, a relay in its place. */
  private static Between between(Path directory, List<Link> links) {
    return System.getProperty(PROPERTY, "gateway").equals("relay")
        ? new Relay(links)
        : new Sluice(directory, links.stream().map(Passage::plain).toList());
  }

  /** Every kind of traffic between two nodes that are up. */
  private void everything(Ring ring) {
    long[] marks = marks(ring);
    step("values of 200 bytes and of 1 MiB");
    for (int node = 0; node < 2; node++) {
      rows.write(ring.coordinator(node), ALL, 100, SMALL);
      rows.write(ring.coordinator(node), ALL, 4, LARGE);
    }
    for (int node = 0; node < 2; node++) {
      rows.verify(ring.coordinator(node), ALL);
    }

    step("truncate");
    emptied.write(ring.coordinator(0), ALL, 20, SMALL);
    emptied.verify(ring.coordinator(1), ALL);
    emptied.truncate(ring.coordinator(0));
    emptied.verifyEmpty(ring.coordinator(1));

    step("a schema change");
    String table = "changed" + ++changes;
    changeSchema(ring, Ring.KEYSPACE + "." + table);

    step("repair");
    repair(ring, 0);
    verifyNoErrors(ring, marks);
  }

  private static void changeSchema(Ring ring, String table) {
    ring.change(0, "CREATE TABLE " + table + " (k int PRIMARY KEY, v text)");
    ring.coordinator(1).ask(ALL, "INSERT INTO " + table + " (k, v) VALUES (1, 'before')");
    ring.change(1, "ALTER TABLE " + table + " ADD note text");
    ring.coordinator(0)
        .ask(ALL, "INSERT INTO " + table + " (k, v, note) VALUES (2, 'after', 'noted')");
    List<Row> found = ring.coordinator(1).ask(ALL, "SELECT v, note FROM " + table);
    assertThat(found)
        .extracting(row -> row.getString("v") + " " + row.getString("note"))
        .containsExactlyInAnyOrder("before null", "after noted");
  }

  private static void repair(Ring ring, int node) {
    try (NodeManagement management = ring.node(node).management()) {
      management.awaitLiveNodes(2);
      management.repair(Ring.KEYSPACE);
    }
  }

  /** What the missing node was not there for is streamed to it by the repair. */
  private void missRows(Ring ring, int missing, int present) {
    ring.stop(missing);
    rows.write(ring.coordinator(present), ONE, 50, SMALL);
    rows.write(ring.coordinator(present), ONE, 4, LARGE);
    long mark = ring.node(missing).log().end();
    ring.start(missing);
    repair(ring, present);
    awaitStream(ring.node(missing).log(), mark);
  }

  private static void rebuild(Ring ring, int node) {
    long mark = ring.node(node).log().end();
    try (NodeManagement management = ring.node(node).management()) {
      management.rebuild(Ring.KEYSPACE);
    }
    awaitStream(ring.node(node).log(), mark);
  }

  /** The receiver may log it some milliseconds after the sender has reported the end. */
  private static void awaitStream(NodeLog log, long mark) {
    Await.until(
        LOGGED, () -> "a stream's end in " + log, () -> log.find(STREAMED, mark).isPresent());
  }

  private static long[] marks(Ring ring) {
    return ring.nodes().stream().mapToLong(node -> node.log().end()).toArray();
  }

  /** Every message connection since the marks has arrived in the framing that was asked for. */
  private static void verifyFraming(Ring ring, Framing framing, long[] marks) {
    for (int node = 0; node < 2; node++) {
      NodeSettings peer = ring.node(1 - node).settings();
      String initiator = peer.broadcast().getHostAddress() + ":" + NodeSettings.STORAGE_PORT;
      List<InboundConnection> inbound =
          ring.node(node).log().inbound(marks[node]).stream()
              .filter(connection -> connection.initiator().equals(initiator))
              .toList();
      assertThat(inbound)
          .as("connections of %s to %s", initiator, ring.node(node).settings().name())
          .extracting(InboundConnection::type)
          .contains("URGENT_MESSAGES", "SMALL_MESSAGES", "LARGE_MESSAGES");
      assertThat(inbound)
          .extracting(InboundConnection::framing)
          .containsOnly(framing.of(peer.sends()));
    }
  }

  private static void verifyNoErrors(Ring ring, long[] marks) {
    for (int node = 0; node < 2; node++) {
      assertThat(ring.node(node).log().lines(marks[node]))
          .as("what %s logs while everything is up", ring.node(node).settings().name())
          .noneMatch(line -> line.startsWith("ERROR"));
    }
  }

  private static void verifyNothingCorrupt(Ring ring, int node) {
    List<Row> peers =
        ring.coordinator(node).ask(ONE, "SELECT * FROM system_views.internode_inbound");
    assertThat(peers).isNotEmpty();
    for (Row peer : peers) {
      LOG.info("inbound of node {}: {}", node, peer.getFormattedContents());
      assertThat(peer.getLong("corrupt_frames_recovered")).isZero();
      assertThat(peer.getLong("corrupt_frames_unrecovered")).isZero();
    }
  }

  private static void step(String what) {
    LOG.info("{}", what);
  }
}
