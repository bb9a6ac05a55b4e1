package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.fixtures.RealMemcached;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedServer;

/** A server's shared connection carries whole requests only, and no silence without an end. */
class SharedConnectionTest {

  @ParameterizedTest
  @ValueSource(ints = {10, 2_000, 60_000, 300_000})
  void shouldSendARequestOnlyWhenItIsWholeWhileOthersGoOn(int length) throws Exception {
    try (ScriptedServer server = new ScriptedServer(ScriptedServer::behave);
        RunningGateway gateway = RunningGateway.before(server.address()).timeout("2s").start();
        RawClient slow = new RawClient(gateway.address());
        RawClient other = new RawClient(gateway.address())) {
      String request = "set slow 0 0 " + length + "\r\n" + "x".repeat(length) + "\r\n";
      int piece = request.length() / 8 + 1;
      int got = 0;
      for (int from = 0; from < request.length(); from += piece) {
        slow.send(request.substring(from, Math.min(request.length(), from + piece)));
        for (int i = 0; i < 3; i++) {
          assertThat(other.ask("get other\r\n")).isEqualTo("VALUE other 0 5");
          assertThat(other.line()).isEqualTo("other");
          assertThat(other.line()).isEqualTo("END");
          got++;
        }
        Thread.sleep(5);
      }
      assertThat(slow.line()).isEqualTo("STORED");
      assertThat(server.broken()).isEmpty();
      assertThat(server.lines().stream().filter("get other"::equals)).hasSize(got);
      ScriptedServer.Request set =
          server.requests().stream()
              .filter(each -> each.line().startsWith("set"))
              .findFirst()
              .orElseThrow();
      assertThat(set.data()).isEqualTo("x".repeat(length) + "\r\n");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 2_000, 60_000, 300_000})
  void shouldDisturbNobodyWhenAClientDiesInsideAValue(int length) throws Exception {
    try (ScriptedServer server = new ScriptedServer(ScriptedServer::behave);
        RunningGateway gateway = RunningGateway.before(server.address()).timeout("2s").start();
        RawClient other = new RawClient(gateway.address())) {
      assertThat(other.ask("set k 0 0 1\r\nx\r\n")).isEqualTo("STORED");
      for (int i = 0; i < 10; i++) {
        try (RawClient dying = new RawClient(gateway.address())) {
          dying.send("set dying 0 0 " + length + "\r\n" + "x".repeat(length / 2));
          Thread.sleep(5);
          other.send("get other\r\n");
          if (i % 2 == 0) {
            dying.reset();
          }
        }
        assertThat(other.line()).isEqualTo("VALUE other 0 5");
        assertThat(other.line()).isEqualTo("other");
        assertThat(other.line()).isEqualTo("END");
      }
      // Only a connection that was acquired to a dying client may have seen half a request.
      assertThat(server.requests().stream().map(ScriptedServer.Request::connection))
          .allMatch(connection -> connection == 1);
      if (length <= 60_000) {
        assertThat(server.broken()).isEmpty();
        assertThat(server.closedByPeer()).isZero();
      }
      assertThat(Patience.soon(() -> gateway.bufferedBytes() == 0)).isTrue();
    }
  }

  @Test
  void shouldAskTheServerForAReplyToEveryQuietRequest() throws Exception {
    try (ScriptedServer server = new ScriptedServer(ScriptedServer::behave);
        RunningGateway gateway = RunningGateway.before(server.address()).timeout("2s").start();
        RawClient client = new RawClient(gateway.address())) {
      client.send("set a 0 0 1 noreply\r\nx\r\nset b 0 0 1 noreply\r\ny\r\nflush_all noreply\r\n");
      client.send("mn\r\n");
      assertThat(client.line()).isEqualTo("MN");
      assertThat(Patience.soon(() -> server.requests().size() == 3)).isTrue();
      assertThat(server.lines()).containsExactly("set a 0 0 1", "set b 0 0 1", "flush_all");
      assertThat(client.isSilentFor(Duration.ofMillis(50))).isTrue();
    }
  }

  // Memcached itself throws such replies away.
  @Test
  void shouldKeepTheRepliesBeforeAGetWithALongKey() throws Exception {
    try (RealMemcached server = RealMemcached.start();
        RunningGateway gateway = RunningGateway.before(server.address()).timeout("2s").start();
        RawClient client = new RawClient(gateway.address())) {
      String longKey = "y".repeat(251);
      client.send("set a 0 0 1\r\nx\r\nincr a 1\r\nget a " + longKey + "\r\n");
      client.send("gats 0 " + longKey + " a\r\ngat soon " + longKey + "\r\nget a\r\n");

      assertThat(client.line()).isEqualTo("STORED");
      assertThat(client.line()).startsWith("CLIENT_ERROR cannot increment");
      assertThat(client.line()).isEqualTo("CLIENT_ERROR bad command line format");
      assertThat(client.line()).isEqualTo("CLIENT_ERROR bad command line format");
      assertThat(client.line()).isEqualTo("CLIENT_ERROR invalid exptime argument");
      assertThat(client.line()).isEqualTo("VALUE a 0 1");
    }
  }

  @Test
  void shouldShowNobodyTheRestOfAKeyWithALineEnd() throws Exception {
    String key = // a, a line end, STORED, a line end
        Base64.getEncoder().encodeToString("a\r\nSTORED\r\n".getBytes(StandardCharsets.US_ASCII));
    try (RealMemcached server = RealMemcached.start();
        RunningGateway gateway = RunningGateway.before(server.address()).timeout("2s").start();
        RawClient client = new RawClient(gateway.address())) {
      // Without the second request memcached would remember that the key was written in base64.
      client.send("ms " + key + " 1 b\r\nx\r\nms " + key + " 1 b MA\r\ny\r\n");
      client.send("me " + key + " b\r\nadd b 0 0 1\r\nx\r\nadd b 0 0 1\r\nx\r\n");

      assertThat(client.line()).isEqualTo("HD");
      assertThat(client.line()).isEqualTo("HD");
      assertThat(client.line()).isEqualTo("CLIENT_ERROR the key contains a line end");
      assertThat(client.line()).isEqualTo("STORED");
      assertThat(client.line()).isEqualTo("NOT_STORED");
    }
  }

  @Test
  void shouldAskTheKeysServerAboutAKeyInBase64() throws Exception {
    try (RealMemcached one = RealMemcached.start();
        RealMemcached other = RealMemcached.start();
        RunningGateway gateway =
            RunningGateway.before(one.address(), other.address()).timeout("2s").start();
        RawClient client = new RawClient(gateway.address())) {
      assertThat(client.ask("mg none\r\n")).isEqualTo("EN"); // the version is known
      for (int i = 0; i < 20; i++) {
        String raw = "key " + i;
        byte[] bytes = raw.getBytes(StandardCharsets.US_ASCII);
        String key = Base64.getEncoder().encodeToString(bytes);
        assertThat(client.send("ms " + key + " 1 b\r\nx\r\n").line()).isEqualTo("HD");
        assertThat(client.ask("me " + key + " b\r\n")).startsWith("ME " + key + " exp=");
      }
    }
  }
}
