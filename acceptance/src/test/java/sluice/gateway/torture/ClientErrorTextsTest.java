package sluice.gateway.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import sluice.config.Loader;
import sluice.gateway.fixtures.Gateways;
import sluice.gateway.process.Gateway;
import sluice.testkit.FreePort;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedServer;

/** What clients are told of servers that fail names them as the configuration does, and no more. */
class ClientErrorTextsTest {
  private static final Pattern TEXTS =
      Pattern.compile(
          "server (localhost:\\d+|cache\\.invalid:11211|unix:/nowhere/s\\.sock) "
              + "(is unreachable: (connection refused|name not resolved|no such socket"
              + "|connection timed out|TLS handshake failed)"
              + "|broke the protocol|closed the connection|timed out|did not answer"
              + "|did not answer the probe in time|was not ready in time|broke TLS"
              + "|had no connection free in time|stopped in the middle of a reply)");

  /** Of exceptions, transports and addresses. */
  private static final Pattern FOREIGN =
      Pattern.compile(
          "Exception|finishConnect|connect\\(|error\\(|errno|127\\.0\\.0\\.1|\\[::1|java|netty|alert|certificate|record|Failed"
              + " to resolve|secret");

  private static String pool(String name, String server, String more) {
    return "  %s: {servers: [\"%s\"], timeout: 2s, connections: {connectTimeout: 2s}%s}\n"
        .formatted(name, server, more);
  }

  @Test
  void shouldNameServersAndSayNothingOfAddressesAndLibraries() throws Exception {
    try (ScriptedServer garbage =
            new ScriptedServer(request -> request.reply("the secret of 127.0.0.1: Exception\r\n"));
        ScriptedServer noMemcached =
            new ScriptedServer(request -> request.reply("the secret of 127.0.0.1: Exception\r\n"))
                .versionToo();
        ScriptedServer closing = new ScriptedServer(request -> request.socket().close())) {
      List<String> servers =
          List.of(
              "localhost:" + FreePort.number(),
              "cache.invalid:11211",
              "unix:/nowhere/s.sock",
              "localhost:" + garbage.address().getPort(),
              "localhost:" + noMemcached.address().getPort(),
              "localhost:" + closing.address().getPort());
      List<String> settings =
          List.of(
              "", ", dialect: text", ", dialect: meta", ", compression: {above: 64B}", ", tls: {}");
      StringBuilder listeners = new StringBuilder();
      StringBuilder routes = new StringBuilder();
      StringBuilder pools = new StringBuilder();
      int count = 0;
      for (String server : servers) {
        for (String more : settings) {
          if (more.contains("tls") && !server.equals(servers.get(4))) {
            continue;
          }
          String name = "p" + count++;
          listeners.append("  " + name + ": {bind: 127.0.0.1:0, route: " + name + "}\n");
          routes.append("  " + name + ": [{pool: " + name + "}]\n");
          pools.append(pool(name, server, more));
        }
      }
      String yaml =
          "admin: {bind: 127.0.0.1:0}\nprocess: {eventLoops: 1}\nlisteners:\n"
              + listeners
              + "routes:\n"
              + routes
              + "pools:\n"
              + pools;
      Gateway gateway =
          Gateways.start(Loader.parse("test.yaml", yaml).configuration())
              .await(20, TimeUnit.SECONDS);
      try {
        List<String> told = new ArrayList<>();
        for (int i = 0; i < count; i++) {
          String address = gateway.address("p" + i);
          int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
          for (String request :
              List.of("get k\r\n", "get k l\r\n", "set k 0 0 1\r\nv\r\n", "mg k v\r\n")) {
            told.add(line(port, request));
          }
          told.add(body(port));
        }
        assertThat(told)
            .allSatisfy(
                text -> {
                  assertThat(text).containsPattern(TEXTS);
                  assertThat(text).doesNotContainPattern(FOREIGN);
                });
        assertThat(told)
            .anySatisfy(text -> assertThat(text).endsWith("unreachable: connection refused"))
            .anySatisfy(text -> assertThat(text).endsWith("unreachable: name not resolved"))
            .anySatisfy(text -> assertThat(text).endsWith("unreachable: no such socket"))
            .anySatisfy(text -> assertThat(text).endsWith("unreachable: TLS handshake failed"))
            .anySatisfy(text -> assertThat(text).endsWith("broke the protocol"))
            .anySatisfy(text -> assertThat(text).endsWith("closed the connection"));
      } finally {
        gateway.close().await(20, TimeUnit.SECONDS);
      }
    }
  }

  /** The reply to one client's request breaks the protocol: what the others on it are told. */
  @Test
  void shouldTellClientsOfOtherEventLoopsNothingOfAReplyEither() throws Exception {
    int clients = 8;
    try (ScriptedServer server =
            new ScriptedServer(
                request -> {
                  if (request.line().startsWith("get ")) {
                    request.reply("END\r\n");
                  } else if (request.key().equals("break")) {
                    request.reply("the secret of 127.0.0.1: Exception\r\n");
                  }
                });
        RunningGateway gateway =
            RunningGateway.before(server.address()).shared(2, 1).timeout("20s").start()) {
      for (int round = 0; round < 4; round++) {
        List<RawClient> all = new ArrayList<>();
        try {
          for (int i = 0; i < clients; i++) {
            all.add(new RawClient(gateway.address()));
            assertThat(all.get(i).ask("get k\r\n")).isEqualTo("END");
          }
          for (RawClient client : all) {
            client.send("delete k\r\n");
          }
          long waiting = clients;
          assertThat(Patience.soon(() -> gateway.inFlight() == waiting)).isTrue();
          all.get(round).send("delete break\r\n");
          for (RawClient client : all) {
            assertThat(client.line())
                .matches("SERVER_ERROR server 127\\.0\\.0\\.1:[0-9]+ broke the protocol");
          }
        } finally {
          for (RawClient client : all) {
            client.close();
          }
        }
      }
    }
  }

  private static Socket connect(int port) throws Exception {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(60_000);
    return socket;
  }

  private static String line(int port, String request) throws Exception {
    try (Socket socket = connect(port)) {
      socket.getOutputStream().write(request.getBytes(ISO_8859_1));
      StringBuilder line = new StringBuilder();
      InputStream in = socket.getInputStream();
      for (int b = in.read(); b != '\r'; b = in.read()) {
        assertThat(b).as("after " + line).isPositive();
        line.append((char) b);
      }
      assertThat(line.toString()).startsWith("SERVER_ERROR ");
      return line.toString();
    }
  }

  /** The body of what a binary Get is answered with. */
  private static String body(int port) throws Exception {
    try (Socket socket = connect(port)) {
      ByteBuffer get = ByteBuffer.allocate(25).putInt(0x80000001).putInt(0).putInt(1);
      socket.getOutputStream().write(get.put(24, (byte) 'k').array());
      byte[] head = socket.getInputStream().readNBytes(24);
      assertThat(ByteBuffer.wrap(head).getShort(6)).as("status").isEqualTo((short) 0x86);
      int length = ByteBuffer.wrap(head).getInt(8);
      return new String(socket.getInputStream().readNBytes(length), ISO_8859_1);
    }
  }
}
