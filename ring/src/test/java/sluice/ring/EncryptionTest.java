package sluice.ring;

import static com.datastax.oss.driver.api.core.ConsistencyLevel.ALL;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A ring whose nodes speak nothing but mutual TLS, and a gateway that reads what they say. */
@Tag("ring")
class EncryptionTest {

  private static final int SMALL = 200;
  private static final int LARGE = 1 << 20;
  private static final Pattern ENCRYPTED = Pattern.compile("encryption = encrypted");
  private static final Pattern UNENCRYPTED = Pattern.compile("encryption = unencrypted");

  static Stream<CassandraRelease> releases() {
    return CassandraRelease.underTest();
  }

  @ParameterizedTest(name = "Cassandra {0}")
  @MethodSource("releases")
  @Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void shouldReadWhatNodesSendEncrypted(CassandraRelease release) throws IOException {
    Path directory = Ring.newDirectory(release.version() + "-encrypted");
    String rule = "{match: {verbs: [TRUNCATE_REQ]}, reject: 'not from here'}";
    try (Ring ring =
        Ring.encrypted(
            release,
            directory,
            (links, keys) ->
                new Sluice(
                    directory,
                    links.stream().map(link -> Passage.plain(link).with(rule)).toList(),
                    keys))) {
      ring.form(Framing.SAME);
      Rows rows = new Rows(Ring.KEYSPACE + ".kv");
      rows.create(ring);
      for (Framing framing : framings()) {
        if (framing != Framing.SAME) {
          ring.cut();
          ring.join(framing);
        }
        for (int node = 0; node < 2; node++) {
          rows.write(ring.coordinator(node), ALL, 50, SMALL);
          rows.write(ring.coordinator(node), ALL, 2, LARGE);
        }
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
        RejectedTruncate.shouldFail(ring.coordinator(node));
        NodeLog log = ring.node(node).log();
        assertThat(log.find(ENCRYPTED, 0)).isPresent();
        assertThat(log.find(UNENCRYPTED, 0)).isEmpty();
      }
    }
  }

  /** CRC is left to long runs. In SAME, one of the nodes sends it already. */
  private static Set<Framing> framings() {
    return CassandraRelease.areSeveralUnderTest()
        ? EnumSet.allOf(Framing.class)
        : EnumSet.of(Framing.SAME, Framing.LZ4);
  }
}
