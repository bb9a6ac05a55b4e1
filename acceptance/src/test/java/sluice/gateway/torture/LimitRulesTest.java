package sluice.gateway.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.fixtures.RealMemcached;
import sluice.testkit.Bytes;
import sluice.testkit.FreePort;
import sluice.testkit.Packet;

/**
 * Rules that let so many requests pass. A slow machine gives buckets the time to fill again: what
 * passed is held against the time that it took.
 */
class LimitRulesTest extends ClosingTest {
  private static final String OVER = "SERVER_ERROR over the limit of 1 requests a second of route";

  private final long began = System.nanoTime();

  private RunningGateway start(String rules, int loops, InetSocketAddress... pools) {
    String store = "  store: {protocol: embedded}\n";
    String each = ", timeout: 5s, connections: {probeAfter: 5s}";
    return closing(RunningGateway.routed(loops, rules, store + RunningGateway.pools(each, pools)));
  }

  private RawClient client(RunningGateway gateway) throws IOException {
    return closing(new RawClient(gateway.address()));
  }

  private long seconds() {
    return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began) + 1;
  }

  @ParameterizedTest
  @ValueSource(strings = {"store", "a"})
  void shouldRefuseWhatIsOverTheLimit(String pool) throws Exception {
    RealMemcached server = closing(RealMemcached.start());
    String rules = "{match: {prefix: k}, pool: %s, limit: {rate: 1, burst: 5}}, {pool: %<s}";
    RunningGateway gateway = start(rules.formatted(pool), 1, server.address());
    RawClient client = client(gateway);
    StringBuilder run = new StringBuilder();
    for (int i = 0; i < 100; i++) {
      run.append("set k").append(i).append(" 0 0 1\r\nx\r\nset other 0 0 1\r\ny\r\n");
      run.append("set kq").append(i).append(" 0 0 1 noreply\r\nq\r\n");
    }
    client.send(run.toString());
    int passed = 0;
    for (int i = 0; i < 100; i++) {
      String answer = client.line();
      passed += answer.equals("STORED") ? 1 : 0;
      assertThat(answer).matches("STORED|" + OVER + " cache");
      assertThat(client.line()).isEqualTo("STORED");
    }
    StringBuilder reads = new StringBuilder();
    for (int i = 0; i < 100; i++) {
      reads.append("mg kq").append(i).append(" v\r\ndelete k noreply\r\nmg other v\r\n");
    }
    client.send(reads.toString());
    for (int i = 0; i < 100; i++) {
      String answer = client.line();
      assertThat(answer).matches("VA 1|EN|" + OVER + " cache");
      if (answer.equals("VA 1")) {
        assertThat(client.line()).isEqualTo("q");
      }
      assertThat(client.line()).isEqualTo("VA 1");
      assertThat(client.line()).isEqualTo("y");
    }
    assertThat(passed).isBetween(1, (int) (5 + seconds()));
    assertThat(gateway.gateway().scrape())
        .containsPattern("sluice_limited_requests_total\\{route=\"cache\",rule=\"0\"} [1-9]");
    assertThat(gateway.admin("/explain?listener=cache&command=get&key=k"))
        .contains("at most 1 of its requests pass per second, and 5 at once after a pause");
  }

  @Test
  void shouldCountTheKeysOfAReadOfMany() throws Exception {
    RealMemcached server = closing(RealMemcached.start());
    String rules =
        "{match: {prefix: a}, pool: a, limit: {rate: 1, burst: 10}},"
            + " {match: {prefix: b}, pool: store, limit: {rate: 1, burst: 4}}, {pool: a}";
    RawClient client = client(start(rules, 1, server.address()));
    int ofA = 0;
    int ofB = 0;
    for (int i = 0; i < 50; i++) {
      String answer = client.ask("get a1 b1 other a2\r\n");
      assertThat(answer).matches("END|" + OVER + " cache");
      ofA += answer.equals("END") ? 2 : 0;
      ofB += answer.equals("END") ? 1 : 0;
    }
    // What could not pass for the one was not taken from the other.
    assertThat(ofB).isBetween(4, (int) (4 + seconds()));
    assertThat(ofA).isEqualTo(2 * ofB);
    int left = 0;
    for (int i = 0; i < 50; i++) {
      left += client.ask("get a1\r\n").equals("END") ? 1 : 0;
    }
    assertThat(ofA + left).isBetween(10, (int) (10 + seconds()));
    assertThat(client.ask("get other x y z\r\n")).isEqualTo("END");
    RawClient other = client(start(rules, 1, server.address()));
    String many = "get" + " a".repeat(100) + "\r\n";
    assertThat(other.ask(many)).isEqualTo("END"); // more than the bucket holds: when it is full
    if (seconds() < 50) {
      assertThat(other.ask("get a\r\n")).isEqualTo(OVER + " cache");
    }
  }

  @Test
  void shouldRefuseBinaryPacketsWithTheStatusOfALimit() throws Exception {
    RealMemcached server = closing(RealMemcached.start());
    String rules = "{match: {prefix: k}, pool: a, limit: {rate: 1, burst: 4}}, {pool: a}";
    RawClient client = client(start(rules, 1, server.address()));
    Bytes run = new Bytes();
    for (int i = 0; i < 100; i++) {
      Packet.add(run, 0x01, "\0\0\0\7\0\0\0\0", "k", "value", i);
    }
    Packet.add(run, 0x01, "\0\0\0\0\0\0\0\0", "other", "value", 100);
    client.send(run.toArray());
    int passed = 0;
    for (int i = 0; i <= 100; i++) {
      byte[] head = client.read(24);
      String body = new String(client.read(head[11]), ISO_8859_1);
      assertThat(head[15]).isEqualTo((byte) i);
      if (head[7] == 0) {
        passed++;
      } else {
        assertThat(head[7]).isEqualTo((byte) 0x85);
        assertThat(body).startsWith("over the limit of 1 requests a second");
      }
      assertThat(i < 100 || head[7] == 0).isTrue();
    }
    assertThat(passed - 1).isBetween(4, (int) (4 + seconds()));
  }

  @Test
  void shouldCountARequestOnceHoweverOftenItIsLookedAt() throws Exception {
    RealMemcached server = closing(RealMemcached.start());
    String rules = "{pool: a, failover: [b], limit: {rate: 1, burst: 68}}";
    RunningGateway gateway = start(rules, 1, FreePort.address(), server.address());
    RawClient text = client(gateway);
    RawClient binary = client(gateway);
    String large = "v".repeat(100_000);
    for (int i = 0; i < 15; i++) {
      for (String piece : List.of("se", "t k 0 0 4\r", "\nab", "cd", "\r", "\n")) {
        text.send(piece);
        Thread.sleep(1);
      }
      assertThat(text.line()).isEqualTo("STORED");
      text.send("set large 0 0 100000\r\n" + large.substring(1));
      Thread.sleep(1);
      assertThat(text.ask("v\r\n")).isEqualTo("STORED");
      text.send("get k ");
      Thread.sleep(1);
      assertThat(text.ask("missing\r\n")).isEqualTo("VALUE k 0 4");
      assertThat(text.line() + text.line()).isEqualTo("abcdEND");
      Bytes packet = new Bytes();
      Packet.add(packet, 0x01, "\0\0\0\7\0\0\0\0", "k", "value", i);
      byte[] bytes = packet.toArray();
      if (i % 2 == 0) { // eight times: beside sixty keys in text
        binary.send(java.util.Arrays.copyOf(bytes, 10));
        Thread.sleep(1);
        binary.send(java.util.Arrays.copyOfRange(bytes, 10, 36));
        Thread.sleep(1);
        binary.send(java.util.Arrays.copyOfRange(bytes, 36, bytes.length));
        assertThat(binary.read(24)[7]).isZero();
      }
    }
  }

  @Test
  void shouldLetAllEventLoopsTakeFromOneBucket() throws Exception {
    RunningGateway gateway = start("{pool: store, limit: {rate: 1, burst: 20}}", 2);
    int passed = 0;
    for (int i = 0; i < 10; i++) {
      RawClient client = client(gateway);
      for (int j = 0; j < 10; j++) {
        passed += client.ask("get k\r\n").equals("END") ? 1 : 0;
      }
    }
    assertThat(passed).isBetween(20, (int) (20 + seconds()));
  }
}
