package sluice.ring;

import static com.datastax.oss.driver.api.core.ConsistencyLevel.ALL;
import static com.datastax.oss.driver.api.core.ConsistencyLevel.SERIAL;
import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.cql.Row;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a ring sees of a gateway that changes messages, or keeps them. */
@Tag("ring")
class RewritingTest {

  private static final int SMALL = 200;
  private static final int LARGE = 1 << 20;
  private static final String REJECTS = "{match: {verbs: [TRUNCATE_REQ]}, reject: 'not from here'}";

  static Stream<CassandraRelease> mappable() {
    return CassandraRelease.underTest().filter(RewritingTest::isMappable);
  }

  static Stream<CassandraRelease> notMappable() {
    return CassandraRelease.underTest().filter(release -> !isMappable(release));
  }

  /** 6.0 tells addresses in cluster metadata too, which is passed as it is. */
  private static boolean isMappable(CassandraRelease release) {
    return !release.version().startsWith("6.");
  }

  @ParameterizedTest(name = "Cassandra {0}")
  @MethodSource("mappable")
  @Timeout(value = 4, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void shouldMapAddressesInMessagesAndNotInValues(CassandraRelease release) throws IOException {
    Path directory = Ring.newDirectory(release.version() + "-mapped");
    try (Ring ring =
        Ring.mapped(
            release,
            directory,
            passages ->
                new Sluice(
                    directory, passages.stream().map(each -> each.with(REJECTS)).toList()))) {
      ring.form(Framing.SAME);
      Rows rows = new Rows(Ring.KEYSPACE + ".kv");
      rows.create(ring);
      for (int node = 0; node < 2; node++) {
        rows.write(ring.coordinator(node), ALL, 50, SMALL);
        rows.write(ring.coordinator(node), ALL, 2, LARGE);
        insertAddresses(ring, node);
      }
      for (int node = 0; node < 2; node++) {
        try (NodeManagement management = ring.node(node).management()) {
          management.awaitLiveNodes(2);
          management.repair(Ring.KEYSPACE);
          management.rebuild(Ring.KEYSPACE);
        }
      }
      for (int node = 0; node < 2; node++) {
        rows.verify(ring.coordinator(node), ALL);
      }
      rejectTruncates(ring, rows);
    }
  }

  /** Nodes truncate what they have themselves, so rows are not read back afterwards. */
  private static void rejectTruncates(Ring ring, Rows rows) {
    for (int node = 0; node < 2; node++) {
      RejectedTruncate.shouldFail(ring.coordinator(node));
    }
    for (int node = 0; node < 2; node++) {
      rows.write(ring.coordinator(node), ALL, 20, SMALL);
    }
  }

  /** By a plain write and by a transaction, read by either node. */
  private static void insertAddresses(Ring ring, int node) {
    ByteBuffer value = addresses(ring);
    String table = Ring.KEYSPACE + ".addresses" + node;
    ring.change(node, "CREATE TABLE " + table + " (k text PRIMARY KEY, v blob)");
    Coordinator writer = ring.coordinator(node);
    writer.ask(ALL, "INSERT INTO " + table + " (k, v) VALUES ('plain', ?)", value);
    List<Row> applied =
        writer.ask(
            ALL, "INSERT INTO " + table + " (k, v) VALUES ('paxos', ?) IF NOT EXISTS", value);
    assertThat(applied.get(0).getBoolean("[applied]")).isTrue();
    for (int reader = 0; reader < 2; reader++) {
      for (String key : List.of("plain", "paxos")) {
        List<Row> found =
            ring.coordinator(reader)
                .ask(
                    key.equals("plain") ? ALL : SERIAL,
                    "SELECT v FROM " + table + " WHERE k = ?",
                    key);
        assertThat(found).extracting(row -> row.getByteBuffer("v")).containsExactly(value);
      }
    }
  }

  /** Every address that is mapped, as messages hold it: length 6, address, port. */
  private static ByteBuffer addresses(Ring ring) {
    ByteBuffer value = ByteBuffer.allocate(1024);
    for (int host : new int[] {2, 3, 12, 13}) {
      byte[] address = ring.network().host(host).getAddress();
      value.put((byte) 6).put(address).putShort((short) NodeSettings.STORAGE_PORT);
    }
    return value.flip();
  }

  /** Releases whose addresses can be mapped show it in the other ring. */
  @ParameterizedTest(name = "Cassandra {0}", allowZeroInvocations = true)
  @MethodSource("notMappable")
  @Timeout(value = 4, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void shouldFailARejectedTruncateWithinASecond(CassandraRelease release) throws IOException {
    Path directory = Ring.newDirectory(release.version() + "-rejected");
    try (Ring ring =
        Ring.behind(
            release,
            directory,
            links ->
                new Sluice(
                    directory,
                    links.stream().map(link -> Passage.plain(link).with(REJECTS)).toList()))) {
      ring.form(Framing.SAME);
      Rows rows = new Rows(Ring.KEYSPACE + ".kv");
      rows.create(ring);
      rows.write(ring.coordinator(0), ALL, 20, SMALL);
      rejectTruncates(ring, rows);
    }
  }
}
