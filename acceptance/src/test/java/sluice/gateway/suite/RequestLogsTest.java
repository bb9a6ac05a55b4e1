package sluice.gateway.suite;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import sluice.config.Loader;
import sluice.gateway.fixtures.Admin;
import sluice.gateway.fixtures.Gateways;
import sluice.gateway.process.Gateway;

/** The slow log, the access log and hot keys of a gateway that runs. */
class RequestLogsTest {
  private static final Logger LOGGER = (Logger) LoggerFactory.getLogger("sluice.log");

  private final List<JsonObject> lines = new CopyOnWriteArrayList<>();
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          lines.add(new JsonObject(event.getFormattedMessage()));
        }
      };

  @BeforeEach
  void listen() {
    appender.start();
    LOGGER.addAppender(appender);
  }

  @AfterEach
  void listenNoMore() {
    LOGGER.detachAppender(appender);
  }

  private static Gateway start(String logs, String pool) throws Exception {
    return Gateways.start(
            Loader.parse(
                    "f",
                    """
                    admin: {bind: 127.0.0.1:0}
                    process: {eventLoops: 1, drain: 1s}
                    logs: %s
                    listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
                    routes: {cache: [{match: {prefix: no}, reject: never}, {pool: cache}]}
                    pools: {cache: %s}
                    """
                        .formatted(logs, pool))
                .configuration())
        .await(20, TimeUnit.SECONDS);
  }

  private static Socket connect(Gateway gateway) throws Exception {
    String[] address = gateway.address("cache").split(":");
    Socket socket = new Socket(address[0], Integer.parseInt(address[1]));
    socket.setSoTimeout(20_000);
    return socket;
  }

  private static void ask(Socket client, String request, String last) throws Exception {
    client.getOutputStream().write(request.getBytes(ISO_8859_1));
    BufferedReader in =
        new BufferedReader(new InputStreamReader(client.getInputStream(), ISO_8859_1));
    String line;
    do {
      line = in.readLine();
    } while (!line.equals(last));
  }

  @Test
  void shouldTellKeysAndNeverValues() throws Exception {
    Gateway gateway = start("{access: {sample: 100%}}", "{protocol: embedded}");
    try (Socket client = connect(gateway)) {
      ask(client, "set one 0 0 6\r\nsecret\r\n", "STORED");
      ask(client, "get one two three\r\n", "END");
      ask(client, "mg one v\r\nmn\r\n", "MN");
      ask(client, "get nobody\r\n", "SERVER_ERROR never");
      ask(client, "version\r\n", "VERSION 1.6.45");
      for (int i = 0; i < 30; i++) {
        ask(client, "get hot\r\n", "END");
      }
      JsonObject hot = hotKeys(gateway);
      assertThat(hot.getLong("dropped")).isZero();
      JsonObject group = hot.getJsonArray("groups").getJsonObject(0);
      assertThat(group.getString("listener") + " " + group.getString("pool"))
          .isEqualTo("cache cache");
      assertThat(group.getJsonArray("keys").getJsonObject(0).getString("key")).isEqualTo("hot");
    } finally {
      gateway.close().await(20, TimeUnit.SECONDS);
    }
    assertThat(lines.toString()).doesNotContain("secret");
    assertThat(lines).extracting(line -> line.getString("log")).containsOnly("access");
    assertThat(lines.stream().limit(6).map(RequestLogsTest::brief))
        .containsExactly(
            "set one 1 cache ok",
            "get one 3 cache ok",
            "mg one 1 cache ok",
            "mn null null null ok",
            "get null null null rejected",
            "version null null null ok");
    assertThat(lines.get(0).getString("client")).startsWith("127.0.0.1:");
    assertThat(lines).hasSize(36);
  }

  private static String brief(JsonObject line) {
    return line.getString("command")
        + " "
        + line.getString("key")
        + " "
        + line.getInteger("keys")
        + " "
        + line.getString("pool")
        + " "
        + line.getString("outcome");
  }

  private static JsonObject hotKeys(Gateway gateway) {
    return new JsonObject(Admin.get(gateway, "/hot-keys"));
  }

  @Test
  void shouldTellWhichServerWasSlowAlsoWhenItNeverAnswered() throws Exception {
    try (ServerSocket silent = new ServerSocket(0)) {
      String server = "127.0.0.1:" + silent.getLocalPort();
      Gateway gateway =
          start(
              "{slow: {above: 50ms}}",
              "{servers: [\""
                  + server
                  + "\"], timeout: 200ms, queueTimeout: 30s, connections: {connectTimeout: 30s}}");
      Thread answers = new Thread(() -> answerVersions(silent));
      answers.setDaemon(true);
      answers.start();
      try (Socket client = connect(gateway)) {
        client.getOutputStream().write("get slow\r\n".getBytes(ISO_8859_1));
        BufferedReader in =
            new BufferedReader(new InputStreamReader(client.getInputStream(), ISO_8859_1));
        assertThat(in.readLine()).startsWith("SERVER_ERROR");
      } finally {
        gateway.close().await(20, TimeUnit.SECONDS);
      }
      assertThat(lines).hasSize(1);
      assertThat(brief(lines.get(0))).isEqualTo("get slow 1 cache timeout");
      assertThat(lines.get(0).getString("log")).isEqualTo("slow");
      assertThat(lines.get(0).getString("server")).isEqualTo(server);
      assertThat(lines.get(0).getDouble("millis")).isGreaterThan(50);
    }
  }

  /** A server that says who it is, and nothing else. */
  private static void answerVersions(ServerSocket server) {
    while (!server.isClosed()) {
      try {
        Socket connection = server.accept();
        Thread talk = new Thread(() -> talk(connection));
        talk.setDaemon(true);
        talk.start();
      } catch (java.io.IOException closed) {
        return;
      }
    }
  }

  private static void talk(Socket connection) {
    try (connection) {
      InputStream in = connection.getInputStream();
      StringBuilder read = new StringBuilder();
      for (int b = in.read(); b >= 0; b = in.read()) {
        read.append((char) b);
        if (read.toString().endsWith("version\r\n")) {
          connection.getOutputStream().write("VERSION 1.6.18\r\n".getBytes(ISO_8859_1));
        }
      }
    } catch (java.io.IOException gone) {
      // the gateway closed it
    }
  }
}
