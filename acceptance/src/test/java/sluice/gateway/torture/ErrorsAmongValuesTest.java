package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedServer;

/**
 * A server whose errors do not end its reply to a get of several keys. memcached 1.6.45 as a proxy
 * answers like this if some of its own servers are gone. It says that it is memcached.
 */
class ErrorsAmongValuesTest {
  private static final String GONE = "SERVER_ERROR backend failure";

  private ScriptedServer proxy;
  private ScriptedServer other;

  @BeforeEach
  void begin() throws IOException {
    proxy = new ScriptedServer(ErrorsAmongValuesTest::asProxy).version("1.6.45");
    other = new ScriptedServer(ErrorsAmongValuesTest::asProxy).version("1.6.45");
  }

  @AfterEach
  void end() throws IOException {
    proxy.close();
    other.close();
  }

  /** Keys that begin with gone are of a server that is; missing is not there. */
  private static void asProxy(ScriptedServer.Request request) throws IOException {
    String[] words = request.line().split(" ", -1);
    int first = words[0].startsWith("gat") ? 2 : 1;
    if (first == 2 && Long.parseLong(words[1]) > Integer.MAX_VALUE) {
      request.reply("CLIENT_ERROR invalid exptime argument\r\n");
      return;
    }
    StringBuilder errors = new StringBuilder();
    StringBuilder values = new StringBuilder();
    for (int i = first; i < words.length; i++) {
      if (words[i].startsWith("gone")) {
        errors.append(GONE).append("\r\n");
      } else if (!words[i].equals("missing")) {
        values.append("VALUE %s 0 %d\r\n%1$s\r\n".formatted(words[i], words[i].length()));
      }
    }
    boolean one = words.length == first + 1;
    request.reply(one && !errors.isEmpty() ? errors.toString() : errors + "" + values + "END\r\n");
  }

  private static RunningGateway before(ScriptedServer... servers) {
    InetSocketAddress[] addresses = new InetSocketAddress[servers.length];
    for (int i = 0; i < servers.length; i++) {
      addresses[i] = servers[i].address();
    }
    return RunningGateway.before(addresses).timeout("5s").start();
  }

  private static String valueOf(String key) {
    return "VALUE %s 0 %d %1$s ".formatted(key, key.length());
  }

  /** The lines of a reply to a get: up to END, or to an error. */
  private static String get(RawClient client, String request) throws IOException {
    client.send(request + "\r\n");
    return reply(client);
  }

  private static String reply(RawClient client) throws IOException {
    String all = "";
    String line;
    do {
      line = client.line();
      all += line + " ";
    } while (!line.equals("END") && !line.contains("_ERROR "));
    return all;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "get gone1 a gone2",
        "get a gone b",
        "get missing gone",
        "gets a b gone",
        "gat 60 gone missing"
      })
  void shouldGiveNobodyWhatComesBehindTheError(String request) throws Exception {
    try (RunningGateway gateway = before(proxy);
        RawClient client = new RawClient(gateway.address());
        RawClient another = new RawClient(gateway.address())) {
      client.send(request + "\r\nget b\r\nget missing\r\ngets c\r\n");
      String asked = reply(client);
      assertThat(asked).endsWith(GONE + " ").doesNotContain("VALUE");
      List<String> behind = List.of(reply(client), reply(client), reply(client));
      String failed = "SERVER_ERROR [^ ].*";
      assertThat(behind.get(0)).matches(valueOf("b") + "END |" + failed);
      assertThat(behind.get(1)).matches("END |" + failed);
      assertThat(behind.get(2)).matches(valueOf("c") + "END |" + failed);
      assertThat(get(another, "get d")).isEqualTo(valueOf("d") + "END ");
    }
  }

  @Test
  void shouldAskForEachByItselfFromThenOn() throws Exception {
    try (RunningGateway gateway = before(proxy);
        RawClient client = new RawClient(gateway.address())) {
      assertThat(gateway.admin("/pools")).containsPattern("\"singleKeyGetsSince\" *: *null");
      assertThat(get(client, "get a gone")).isEqualTo(GONE + " ");
      assertThat(gateway.admin("/pools")).containsPattern("\"singleKeyGetsSince\" *: *\"2");
      assertThat(get(client, "get a b missing c"))
          .isEqualTo(valueOf("a") + valueOf("b") + valueOf("c") + "END ");
      assertThat(get(client, "get a gone b")).endsWith(GONE + " ");
      client.send("get d\r\nget e\r\n");
      assertThat(reply(client)).isEqualTo(valueOf("d") + "END ");
      assertThat(reply(client)).isEqualTo(valueOf("e") + "END ");
      assertThat(proxy.lines().subList(0, 9))
          .containsExactly(
              "get a gone",
              "get a",
              "get b",
              "get missing",
              "get c",
              "get a",
              "get gone",
              "get b",
              "get d");
      assertThat(Patience.soon(() -> proxy.closedByPeer() == 1)).isTrue();
    }
  }

  @Test
  void shouldGiveNobodyWhatComesBehindTheErrorOfOneOfTwo() throws Exception {
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      keys.add("key" + i);
    }
    try (RunningGateway gateway = before(proxy, other);
        RawClient client = new RawClient(gateway.address())) {
      client.send("get gone1 " + String.join(" ", keys) + " gone2 gone3 gone4\r\nget a\r\n");
      assertThat(reply(client)).endsWith(GONE + " ");
      assertThat(reply(client)).matches(valueOf("a") + "END |SERVER_ERROR [^ ].*");
      String all = "";
      for (String key : keys) {
        all += valueOf(key);
      }
      String request = "get " + String.join(" ", keys);
      assertThat(get(client, request)).isEqualTo(all + "END ");
      assertThat(get(client, request)).isEqualTo(all + "END ");
    }
  }

  /** Versions differ in what they make of more than 32 bits: no server sees it. */
  @Test
  void shouldNotLetAClientHaveTheConnectionClosedByATimeToLive() throws Exception {
    try (RunningGateway gateway = before(proxy);
        RawClient client = new RawClient(gateway.address())) {
      String wrong = "CLIENT_ERROR invalid exptime argument ";
      assertThat(get(client, "gat x a b")).isEqualTo(wrong);
      assertThat(proxy.lines()).isEmpty();
      assertThat(get(client, "gats 4294967296 a b")).isEqualTo(wrong);
      assertThat(get(client, "get a b")).isEqualTo(valueOf("a") + valueOf("b") + "END ");
      assertThat(proxy.lines()).containsExactly("get a b");
      assertThat(proxy.closedByPeer()).isZero();
    }
  }

  @Test
  void shouldNotTakeAnErrorOfAStoreForAMiss() throws Exception {
    try (RunningGateway gateway =
            RunningGateway.of(
                """
                admin: {bind: 127.0.0.1:0}
                listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
                routes: {cache: [{pool: cache}]}
                pools: {cache: {protocol: embedded, size: 16MiB}}
                """);
        RawClient client = new RawClient(gateway.address())) {
      assertThat(client.ask("set a 0 0 1\r\nx\r\n")).isEqualTo("STORED");
      String wrong = get(client, "gat 4294967296 a");
      assertThat(wrong).startsWith("CLIENT_ERROR ");
      assertThat(get(client, "gat 4294967296 a b")).isEqualTo(wrong);
      assertThat(get(client, "gat 60 a b")).isEqualTo("VALUE a 0 1 x END ");
    }
  }

  /** memcached drops what it has not sent yet, the replies to requests before the get. */
  @Test
  void shouldNotGiveTheErrorOfAGetToTheRequestBeforeIt() throws Exception {
    String dropped = "SERVER_ERROR out of memory writing get response";
    try (ScriptedServer server =
            new ScriptedServer(
                request -> {
                  if (request.line().equals("gets large")) {
                    request.reply(dropped + "\r\n");
                  } else if (!request.line().startsWith("get dropped")) {
                    ScriptedServer.behave(request);
                  }
                });
        RunningGateway gateway = before(server);
        RawClient client = new RawClient(gateway.address())) {
      client.send("get dropped 1\r\ngets large\r\nget missing\r\n");
      for (int i = 0; i < 3; i++) {
        assertThat(reply(client)).startsWith("SERVER_ERROR ").doesNotContain(dropped);
      }
      assertThat(get(client, "get a")).isEqualTo(valueOf("a") + "END ");
    }
  }
}
