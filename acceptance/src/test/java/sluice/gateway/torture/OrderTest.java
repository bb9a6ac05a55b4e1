package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedServer;

/** Replies come in the order of requests; requests to one server are executed in it too. */
class OrderTest {

  @Test
  void shouldAnswerInTheOrderAskedWhenOneServerIsSlow() throws Exception {
    ScriptedServer.Script slowly =
        request -> {
          Thread.sleep(10);
          ScriptedServer.behave(request);
        };
    try (ScriptedServer slow = new ScriptedServer(slowly);
        ScriptedServer fast = new ScriptedServer(ScriptedServer::behave);
        ScriptedServer other = new ScriptedServer(ScriptedServer::behave);
        RunningGateway gateway =
            RunningGateway.before(slow.address(), fast.address(), other.address())
                .timeout("5s")
                .start();
        RawClient client = new RawClient(gateway.address())) {
      StringBuilder requests = new StringBuilder();
      List<String> expected = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        String one = Integer.toHexString(i * 0x9e3779b1) + "-one"; // spread over the ring
        String two = Integer.toHexString(i * 0x85ebca6b) + "-two";
        requests.append("get ").append(one).append("\r\n");
        requests.append("set gone-").append(i).append(" 0 0 1 noreply\r\nx\r\n");
        requests.append("get ").append(one).append(' ').append(two).append("\r\nmn\r\n");
        expected.addAll(List.of("VALUE " + one + " 0 " + one.length(), one, "END"));
        expected.addAll(List.of("VALUE " + one + " 0 " + one.length(), one));
        expected.addAll(List.of("VALUE " + two + " 0 " + two.length(), two, "END", "MN"));
      }
      client.send(requests.toString());
      for (String line : expected) {
        assertThat(client.line()).isEqualTo(line);
      }
      assertThat(slow.requests()).hasSizeGreaterThan(2);
      assertThat(fast.requests()).hasSizeGreaterThan(2);
      assertThat(other.requests()).hasSizeGreaterThan(2);
    }
  }

  /** A value of this size needs an exclusive connection when it comes in pieces. */
  private static final int LARGE = 200_000;

  @Test
  void shouldNotLetALentConnectionOvertakeOrBeOvertaken() throws Exception {
    ScriptedServer.Script slowly =
        request -> {
          Thread.sleep(5);
          ScriptedServer.behave(request);
        };
    try (ScriptedServer server = new ScriptedServer(slowly);
        RunningGateway gateway = RunningGateway.before(server.address()).timeout("5s").start();
        RawClient client = new RawClient(gateway.address())) {
      String large = "set large 0 0 " + LARGE + "\r\n" + "x".repeat(LARGE) + "\r\n";
      List<String> expected = new ArrayList<>();
      for (int round = 0; round < 3; round++) {
        StringBuilder requests = new StringBuilder();
        for (int i = 0; i < 10; i++) {
          String before = "set before-" + round + '-' + i + " 0 0 1";
          requests.append(before).append(i % 2 == 0 ? " noreply" : "").append("\r\nx\r\n");
          expected.add(before);
        }
        requests.append(large);
        expected.add("set large 0 0 " + LARGE);
        for (int i = 0; i < 10; i++) {
          String after = "set after-" + round + '-' + i + " 0 0 1";
          requests.append(after).append(i % 2 == 0 ? " noreply" : "").append("\r\nx\r\n");
          expected.add(after);
        }
        client.send(requests.toString());
      }
      for (int i = 0; i < 3 * 11; i++) {
        assertThat(client.line()).isEqualTo("STORED");
      }
      // The last replies are of requests that may be behind silent ones: all have come by then.
      assertThat(server.lines()).isEqualTo(expected);
      assertThat(server.requests().stream().map(ScriptedServer.Request::connection).distinct())
          .hasSizeGreaterThan(1);
    }
  }

  @Test
  void shouldNotLetARequestOnANewConnectionOvertakeThoseOnTheOld() throws Exception {
    // The old connection takes nothing more because another client's reply is late; this client's
    // own requests wait there unanswered, the last of them without a reply to come.
    CountDownLatch goesOn = new CountDownLatch(1);
    ScriptedServer.Script script =
        request -> {
          if (request.line().contains("late")) {
            goesOn.await();
          } else if (request.line().contains("early")) {
            Thread.sleep(50);
          }
          ScriptedServer.behave(request);
        };
    try (ScriptedServer server = new ScriptedServer(script);
        RunningGateway gateway = RunningGateway.before(server.address()).timeout("5s").start();
        RawClient other = new RawClient(gateway.address());
        RawClient client = new RawClient(gateway.address())) {
      other.send("get late\r\n");
      Thread.sleep(3_000); // the next ones have this much more time
      client.send("set early 0 0 1 noreply\r\nx\r\nflush_all noreply\r\n");
      assertThat(other.line()).startsWith("SERVER_ERROR"); // from now on a new one is used
      client.send("set after 0 0 1\r\nx\r\n");
      Thread.sleep(100); // it could be sent meanwhile
      goesOn.countDown();
      client.line();
      assertThat(Patience.soon(() -> server.requests().size() == 4))
          .as(server.lines().toString())
          .isTrue();
      List<Integer> connections =
          server.requests().stream().map(ScriptedServer.Request::connection).toList();
      assertThat(connections.get(connections.size() - 1)).isGreaterThan(connections.get(0));
      assertThat(server.lines())
          .containsExactly("get late", "set early 0 0 1", "flush_all", "set after 0 0 1");
    }
  }

  @Test
  void shouldNotWriteAMultiGetsFirstValuesBeforeEarlierReplies() throws Exception {
    // The server's replies to both requests arrive in one read, the second with large values.
    String value = "x".repeat(20_000);
    StringBuilder pending = new StringBuilder();
    ScriptedServer.Script script =
        request -> {
          if (request.line().startsWith("get ")) {
            StringBuilder reply = new StringBuilder();
            for (String key : request.line().substring(4).split(" ", -1)) {
              reply.append("VALUE ").append(key).append(" 0 ").append(value.length());
              reply.append("\r\n").append(value).append("\r\n");
            }
            synchronized (pending) {
              pending.append(reply).append("END\r\n");
              if (request.line().length() < 12) {
                return; // the single get: its reply leaves with the next one's
              }
              request.reply(pending.toString());
              pending.setLength(0);
            }
          } else {
            ScriptedServer.behave(request);
          }
        };
    ScriptedServer.Script late =
        request -> {
          Thread.sleep(10);
          ScriptedServer.behave(request);
        };
    try (ScriptedServer server = new ScriptedServer(script);
        ScriptedServer second = new ScriptedServer(late);
        RunningGateway gateway =
            RunningGateway.before(server.address(), second.address()).timeout("5s").start();
        RawClient client = new RawClient(gateway.address())) {
      List<String> keys = keysOf(server, gateway, client);
      for (int i = 0; i < 20; i++) {
        String all = String.join(" ", keys);
        client.send("get " + keys.get(0) + "\r\nget " + all + "\r\n");
        assertThat(client.line()).isEqualTo("VALUE " + keys.get(0) + " 0 20000");
        assertThat(client.line()).isEqualTo(value);
        assertThat(client.line()).isEqualTo("END");
        for (String ignored : keys) {
          assertThat(client.line()).startsWith("VALUE ");
          client.line();
        }
        assertThat(client.line()).isEqualTo("END");
      }
    }
  }

  /** Four keys of the first server and then one of the other. */
  private static List<String> keysOf(
      ScriptedServer server, RunningGateway gateway, RawClient client) throws Exception {
    List<String> first = new ArrayList<>();
    List<String> second = new ArrayList<>();
    for (int i : IntStream.range(0, 200).toArray()) {
      int before = server.requests().size();
      // Far apart: names that differ in their last byte only may all fall to one of two servers.
      String key = Integer.toString(i * 0x9E3779B1, 36).replace("-", "m") + "-" + i;
      assertThat(client.ask("set " + key + " 0 0 1\r\nx\r\n")).isIn("STORED", "OK");
      (server.requests().size() > before ? first : second).add(key);
      if (first.size() >= 4 && !second.isEmpty()) {
        List<String> keys = new ArrayList<>(first.subList(0, 4));
        keys.add(second.get(0));
        return keys;
      }
    }
    throw new AssertionError("200 keys live on one server of " + gateway.address());
  }
}
