package sluice.gateway.discover;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.dns.DnsRecordType;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.config.Loader;
import sluice.gateway.fixtures.Admin;
import sluice.gateway.fixtures.Gateways;
import sluice.gateway.process.Gateway;
import sluice.gateway.tls.Certificates;
import sluice.testkit.LogLines;
import sluice.testkit.Patience;

/** A gateway whose pool's servers are learned. */
@Timeout(300)
class DiscoveryTest {
  private static final String NAME = "_memcached._tcp.cache.example";
  private static final int KEYS = 300;

  @TempDir private Path directory;

  private final TestNameServer nameServer = new TestNameServer();
  private final List<NamedServer> servers = new ArrayList<>();
  private Path file;
  private Gateway gateway;

  @AfterEach
  void stop() throws Exception {
    if (gateway != null) {
      gateway.close().await(20, TimeUnit.SECONDS);
    }
    for (NamedServer server : servers) {
      server.close();
    }
    nameServer.close();
  }

  private NamedServer server(String name, String host, int port) throws IOException {
    NamedServer server = new NamedServer(name, host, port);
    servers.add(server);
    return server;
  }

  private NamedServer server(String name) throws IOException {
    return server(name, "127.0.0.1", 0);
  }

  private static String service(NamedServer server) {
    return service(server.name(), server.port(), 1);
  }

  private static String service(String pod, int port, int weight) {
    return "0 %d %d %s.example".formatted(weight, port, pod);
  }

  private String yaml(String pool) {
    return """
    admin: {bind: 127.0.0.1:0, ready: routes}
    process: {eventLoops: 2, drain: 2s}
    listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
    routes: {cache: [{pool: cache}]}
    pools: {cache: {%s}}
    """
        .formatted(pool);
  }

  private String discover(String what) {
    return "timeout: 2s, discover: {%s, every: 100ms, nameServer: \"%s\"}"
        .formatted(what, nameServer.address());
  }

  private void start(String pool) throws Exception {
    file = Files.writeString(directory.resolve("sluice.yaml"), yaml(pool));
    gateway = Gateways.start(Loader.load(file).configuration(), file).await(20, TimeUnit.SECONDS);
  }

  private List<String> reload(String yaml) throws Exception {
    Files.writeString(file, yaml);
    return gateway.reload().await(20, TimeUnit.SECONDS);
  }

  // --- what clients see ---------------------------------------------------------------------

  private Socket connect() throws IOException {
    String at = gateway.address("cache");
    int colon = at.lastIndexOf(':');
    Socket socket = new Socket();
    socket.setSoTimeout(10_000);
    socket.connect(
        new InetSocketAddress(at.substring(0, colon), Integer.parseInt(at.substring(colon + 1))));
    return socket;
  }

  /** The names of the servers that keys lead to, or what is answered instead. */
  private Map<String, String> table() throws IOException {
    List<String> keys = new ArrayList<>();
    StringBuilder requests = new StringBuilder();
    for (int i = 0; i < KEYS; i++) {
      String key = Long.toHexString(i * 0x9E3779B97F4A7C15L) + "-key"; // which fnv1a spreads
      keys.add(key);
      requests.append("get ").append(key).append("\r\n");
    }
    Map<String, String> table = new LinkedHashMap<>();
    try (Socket socket = connect()) {
      socket.getOutputStream().write(requests.toString().getBytes(ISO_8859_1));
      BufferedReader in =
          new BufferedReader(new InputStreamReader(socket.getInputStream(), ISO_8859_1));
      for (String key : keys) {
        table.put(key, answer(in));
      }
    }
    return table;
  }

  private static String get(Socket socket, String key) throws IOException {
    socket.getOutputStream().write(("get " + key + "\r\n").getBytes(ISO_8859_1));
    return answer(new BufferedReader(new InputStreamReader(socket.getInputStream(), ISO_8859_1)));
  }

  private static String answer(BufferedReader in) throws IOException {
    String line = in.readLine();
    if (!line.startsWith("VALUE")) {
      return line;
    }
    String name = in.readLine();
    assertThat(in.readLine()).isEqualTo("END");
    return name;
  }

  private static long count(Map<String, String> table, String name) {
    return table.values().stream().filter(name::equals).count();
  }

  // --- what people see ----------------------------------------------------------------------

  private HttpResponse<String> ask(String path) {
    return Admin.ask(gateway, path);
  }

  private JsonObject pool() throws Exception {
    return new JsonArray(ask("/pools").body()).getJsonObject(0);
  }

  private List<String> serversSeen() throws Exception {
    return pool().getJsonArray("servers").stream()
        .map(server -> ((JsonObject) server).getString("server"))
        .toList();
  }

  private long counted(String result) {
    return gateway
        .scrape()
        .lines()
        .filter(l -> l.startsWith("sluice_discoveries_total{pool=\"cache\",result=\"" + result))
        .mapToLong(l -> (long) Double.parseDouble(l.substring(l.lastIndexOf(' ') + 1)))
        .sum();
  }

  private static void soon(Callable<Boolean> condition) {
    assertThat(Patience.soon(condition)).as("in time").isTrue();
  }

  private void awaitAnswers(String result, int more) throws Exception {
    long enough = counted(result) + more;
    soon(() -> counted(result) >= enough);
  }

  /** Returns once the loops have followed. */
  private void changing(Runnable change) throws Exception {
    long before = counted("changed");
    change.run();
    soon(() -> counted("changed") > before);
  }

  // --- DNS ----------------------------------------------------------------------------------

  @Test
  void shouldSpreadKeysOverTheAddressesOfAName() throws Exception {
    int port = server("one").port();
    server("two", "127.0.0.2", port);
    server("three", "127.0.0.3", port);
    nameServer.addresses("cache.example", "127.0.0.2", "127.0.0.1");
    start(discover("dns: \"cache.example:" + port + "\""));
    Map<String, String> before = table();
    assertThat(before.values()).containsOnly("one", "two");

    changing(() -> nameServer.addresses("cache.example", "127.0.0.3", "127.0.0.1", "127.0.0.2"));
    assertThat(serversSeen())
        .containsExactly("127.0.0.1:" + port, "127.0.0.2:" + port, "127.0.0.3:" + port);
    Map<String, String> after = table();
    assertThat(count(after, "three")).isBetween(KEYS / 10L, KEYS / 2L);
    after.forEach(
        (key, name) -> {
          if (!name.equals("three")) {
            assertThat(name).as(key).isEqualTo(before.get(key));
          }
        });
    long changes = counted("changed");
    nameServer.addresses("cache.example", "127.0.0.2", "127.0.0.1", "127.0.0.3", "127.0.0.2");
    awaitAnswers("same", 3);
    assertThat(counted("changed")).as("an order is no change").isEqualTo(changes);
    assertThat(table()).isEqualTo(after);

    changing(() -> nameServer.addresses("cache.example", "127.0.0.1", "127.0.0.2"));
    assertThat(table()).isEqualTo(before);
    assertThat(ask("/config").body()).contains("cache.example:" + port, "every: 100ms");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ketama", "rendezvous", "maglev", "modula", "jump"})
  void shouldMoveNoKeyWhenAServerGetsAnotherAddress(String distribution) throws Exception {
    NamedServer zero = server("pod-0");
    NamedServer one = server("pod-1");
    NamedServer ten = server("pod-10");
    NamedServer elsewhere = server("moved", "127.0.0.2", one.port());
    for (NamedServer each : List.of(zero, one, ten)) {
      nameServer.addresses(each.name() + ".example", "127.0.0.1");
    }
    nameServer.services(NAME, service(ten), service(one), service(zero));
    start(discover("srv: " + NAME) + ", hash: {distribution: " + distribution + "}");
    Map<String, String> before = table();
    assertThat(before.values()).contains("pod-0", "pod-1", "pod-10");
    assertThat(serversSeen())
        .containsExactly(
            "pod-0.example:" + zero.port(),
            "pod-1.example:" + one.port(),
            "pod-10.example:" + ten.port());

    nameServer.addresses("pod-1.example", "127.0.0.2");
    soon(() -> count(table(), "moved") > 0);
    Map<String, String> after = new LinkedHashMap<>(table());
    after.replaceAll((key, name) -> name.equals(elsewhere.name()) ? "pod-1" : name);
    assertThat(after).isEqualTo(before);

    nameServer.addresses("pod-1.example", "127.0.0.1", "127.0.0.2");
    awaitAnswers("same", 2);
    assertThat(count(table(), "moved")).as("it keeps the address that it has").isPositive();
  }

  @Test
  void shouldShareKeysByWeightAmongThoseOfTheFirstPriority() throws Exception {
    NamedServer small = server("small");
    NamedServer large = server("large");
    NamedServer last = server("last");
    for (NamedServer each : List.of(small, large, last)) {
      nameServer.addresses(each.name() + ".example", "127.0.0.1");
    }
    nameServer.services(
        NAME,
        service("large", large.port(), 300),
        service("small", small.port(), 100),
        "7 100 %d last.example".formatted(last.port()),
        "0 100 0 nowhere.example");
    start(discover("srv: " + NAME));
    Map<String, String> table = table();
    assertThat(table.values()).containsOnly("small", "large");
    // A quarter of the keys is 75. The ports differ in each run, so the ring does too: one standard
    // deviation is 10 keys.
    assertThat(count(table, "small")).isBetween(30L, 120L);

    nameServer.services(
        NAME, service("small", small.port(), 10), service("large", large.port(), 30));
    awaitAnswers("same", 3);
    assertThat(counted("changed")).as("the same shares").isEqualTo(1);

    nameServer.services(NAME, "7 0 %d last.example".formatted(last.port()));
    soon(() -> count(table(), "last") == KEYS);
  }

  @Test
  void shouldChangeNothingForAnAnswerThatFailsOrIsEmptyOrTooSmall() throws Exception {
    NamedServer zero = server("pod-0");
    NamedServer one = server("pod-1");
    nameServer.addresses("pod-0.example", "127.0.0.1");
    nameServer.addresses("pod-1.example", "127.0.0.1");
    nameServer.services(NAME, service(zero), service(one));
    start(discover("srv: " + NAME + ", minimum: 2"));
    Map<String, String> before = table();
    try (LogLines log = LogLines.of("sluice.gateway.discover")) {
      nameServer.services(NAME, service(zero));
      awaitAnswers("refused", 3);
      assertThat(pool().getJsonObject("discovery").getString("problem"))
          .isEqualTo("servers in the answer: 1, fewer than the minimum of 2");
      nameServer.services(NAME);
      awaitAnswers("refused", 3);
      assertThat(pool().getJsonObject("discovery").getString("problem"))
          .isEqualTo("no servers in the answer");
      nameServer.mood(TestNameServer.Mood.FAILING);
      awaitAnswers("failed", 3);
      assertThat(pool().getJsonObject("discovery").getString("problem"))
          .isEqualTo("SRV of " + NAME + ": the name server says ServFail(2)");
      assertThat(table()).isEqualTo(before);
      assertThat(log.lines()).as("one line, not one an answer").hasSize(1);
      assertThat(log.lines().get(0))
          .isEqualTo(
              "pool cache: srv %s: servers in the answer: 1, fewer than the minimum of 2; the pool keeps its servers: pod-0.example:%d, pod-1.example:%d"
                  .formatted(NAME, zero.port(), one.port()));

      nameServer.mood(TestNameServer.Mood.HELPFUL);
      nameServer.services(NAME, service(zero), service(one));
      soon(() -> pool().getJsonObject("discovery").getString("problem").isEmpty());
      nameServer.mood(DnsRecordType.A, TestNameServer.Mood.FAILING);
      nameServer.mood(DnsRecordType.AAAA, TestNameServer.Mood.FAILING);
      awaitAnswers("same", 3);
      assertThat(table()).as("addresses that cannot be looked up stay").isEqualTo(before);
    }
  }

  @Test
  void shouldLeaveOutNewServersWithoutAnAddress() throws Exception {
    NamedServer zero = server("pod-0");
    nameServer.addresses("pod-0.example", "127.0.0.1");
    nameServer.services(NAME, service(zero), service("pod-1", 1, 1));
    start(discover("srv: " + NAME));
    assertThat(count(table(), "pod-0")).isEqualTo(KEYS);
    assertThat(pool().getJsonObject("discovery").getString("remark"))
        .isEqualTo("1 more targets have no address");
  }

  @Test
  void shouldGiveANewServerItsKeysLittleByLittle() throws Exception {
    for (int i = 0; i < 3; i++) {
      nameServer.addresses(server("pod-" + i).name() + ".example", "127.0.0.1");
    }
    nameServer.services(NAME, service(servers.get(0)), service(servers.get(1)));
    start(discover("srv: " + NAME) + ", hash: {slowStart: 6s}");
    Map<String, String> before = table();
    assertThat(before.values()).as("at a start at once").containsOnly("pod-0", "pod-1");
    changing(
        () ->
            nameServer.services(
                NAME, servers.stream().map(s -> service(s)).toArray(String[]::new)));
    Map<String, String> last = before;
    List<Long> counts = new ArrayList<>();
    for (long end = System.nanoTime() + 8_000_000_000L; System.nanoTime() < end; ) {
      Map<String, String> now = table();
      for (String key : before.keySet()) {
        assertThat(now.get(key)).isIn(last.get(key), "pod-2");
      }
      counts.add(count(now, "pod-2"));
      last = now;
      TimeUnit.MILLISECONDS.sleep(50);
    }
    assertThat(counts).isSorted();
    assertThat(counts.get(0)).isLessThan(count(last, "pod-2") * 2 / 3);
    assertThat(count(last, "pod-2")).isBetween(KEYS / 5L, KEYS / 2L);
    assertThat(counts.stream().distinct().count()).isGreaterThan(5);
  }

  @Test
  void shouldStartWithoutServersAndTakeThemWhenTheyAreFound() throws Exception {
    NamedServer zero = server("pod-0");
    nameServer.mood(TestNameServer.Mood.SILENT);
    long began = System.nanoTime();
    start("connections: {connectTimeout: 300ms}, " + discover("srv: " + NAME));
    assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began)).isLessThan(10_000);
    try (Socket socket = connect()) {
      assertThat(get(socket, "a")).isEqualTo("SERVER_ERROR pool cache has no servers");
      assertThat(get(socket, "a b c")).isEqualTo("SERVER_ERROR pool cache has no servers");
      socket.getOutputStream().write("version\r\nset a 0 0 1\r\nx\r\n".getBytes(ISO_8859_1));
      BufferedReader in =
          new BufferedReader(new InputStreamReader(socket.getInputStream(), ISO_8859_1));
      assertThat(in.readLine()).isEqualTo("SERVER_ERROR pool cache has no servers");
      assertThat(in.readLine()).isEqualTo("SERVER_ERROR pool cache has no servers");
      HttpResponse<String> ready = ask("/ready");
      assertThat(ready.statusCode()).isEqualTo(503);
      assertThat(ready.body()).contains("pool cache has no servers: no answer within 300 ms");
      assertThat(serversSeen()).isEmpty();
      assertThat(ask("/explain?listener=cache&command=get&key=a").body())
          .contains("pool cache has no servers yet: they are discovered by srv " + NAME);

      nameServer.addresses("pod-0.example", "127.0.0.1");
      nameServer.services(NAME, service(zero));
      nameServer.mood(TestNameServer.Mood.HELPFUL);
      soon(() -> ask("/ready").statusCode() == 200);
      soon(() -> get(socket, "a").equals("pod-0"));
      assertThat(gateway.scrape()).doesNotContain("server=\"none\"");
    }
  }

  // --- reloads ------------------------------------------------------------------------------

  @Test
  void shouldKeepWhatWasFoundOverAReload() throws Exception {
    NamedServer zero = server("pod-0");
    NamedServer other = server("other");
    nameServer.addresses("pod-0.example", "127.0.0.1");
    nameServer.services(NAME, service(zero));
    String srv = discover("srv: " + NAME);
    start(srv);
    nameServer.mood(TestNameServer.Mood.FAILING);
    awaitAnswers("failed", 1);
    assertThat(reload(yaml(srv.replace("timeout: 2s", "timeout: 3s")))).isEmpty();
    assertThat(count(table(), "pod-0")).as("known already").isEqualTo(KEYS);

    String another = srv.replace(NAME, "_other._tcp.example");
    assertThat(reload(yaml(another))).isEmpty();
    assertThat(count(table(), "pod-0")).as("until there is an answer").isEqualTo(KEYS);
    nameServer.addresses("other.example", "127.0.0.1");
    nameServer.services("_other._tcp.example", service(other));
    nameServer.mood(TestNameServer.Mood.HELPFUL);
    soon(() -> count(table(), "other") == KEYS);

    assertThat(reload(yaml("servers: [\"127.0.0.1:" + zero.port() + "\"]"))).isEmpty();
    assertThat(count(table(), "pod-0")).isEqualTo(KEYS);
    assertThat(pool().containsKey("discovery")).isFalse();
    soon( // nobody asks any more, once what was on its way has come
        () -> {
          int asked = nameServer.asked();
          TimeUnit.MILLISECONDS.sleep(400);
          return nameServer.asked() == asked;
        });

    assertThat(reload(yaml(another))).isEmpty();
    assertThat(count(table(), "other")).as("found before it is swapped").isEqualTo(KEYS);
    assertThat(reload(yaml(another).replace("[{pool: cache}]", "[{pool: nowhere}]"))).isNotEmpty();
    assertThat(count(table(), "other")).isEqualTo(KEYS);
  }

  @Test
  void shouldFailNoRequestWhileServersComeAndGo() throws Exception {
    for (int i = 0; i < 4; i++) {
      NamedServer pod = server("pod-" + i);
      nameServer.addresses(pod.name() + ".example", "127.0.0.1");
    }
    nameServer.services(NAME, service(servers.get(0)));
    String pool = discover("srv: " + NAME);
    start(pool);
    AtomicBoolean stop = new AtomicBoolean();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<Long>> clients = new ArrayList<>();
      for (int client = 0; client < 4; client++) {
        clients.add(
            threads.submit(
                () -> {
                  long requests = 0;
                  try (Socket socket = connect()) {
                    while (!stop.get()) {
                      assertThat(get(socket, "key" + requests++)).startsWith("pod-");
                    }
                  }
                  return requests;
                }));
      }
      for (int round = 0; round < 15; round++) {
        List<String> services = new ArrayList<>();
        for (int i = 0; i <= round % 4; i++) {
          services.add(service(servers.get((round + i) % 4)));
        }
        nameServer.services(NAME, services.toArray(String[]::new));
        if (round % 3 == 0) {
          assertThat(reload(yaml(pool.replace("2s", 2 + round + "s")))).isEmpty();
        }
        soon(() -> serversSeen().size() == services.size());
      }
      stop.set(true);
      for (Future<Long> client : clients) {
        assertThat(client.get(20, TimeUnit.SECONDS)).isPositive();
      }
      soon(() -> gateway.bufferedBytes() == 0);
    } finally {
      stop.set(true);
      threads.shutdownNow();
    }
  }

  // --- TLS ----------------------------------------------------------------------------------

  private String tls(Certificates authority) {
    return "tls: {ca: \"%s\"}".formatted(authority.file());
  }

  private NamedServer tlsServer(Certificates authority, String name, String host) throws Exception {
    SSLContext context =
        authority.context(authority.issue(name, builder -> builder.addSanDnsName(host)));
    NamedServer server = new NamedServer(name, "127.0.0.1", 0, context.getServerSocketFactory());
    servers.add(server);
    return server;
  }

  @Test
  void shouldVerifyTheNameThatWasFound() throws Exception {
    Certificates authority = Certificates.of(directory, "ca");
    NamedServer named = tlsServer(authority, "pod-0", "pod-0.example");
    NamedServer imposter = tlsServer(authority, "imposter", "imposter.example");
    nameServer.addresses("pod-0.example", "127.0.0.1");
    nameServer.services(NAME, service(named));
    start(discover("srv: " + NAME) + ", " + tls(authority));
    assertThat(count(table(), "pod-0")).isEqualTo(KEYS);

    nameServer.services(NAME, service("pod-0", imposter.port(), 1));
    soon(() -> count(table(), "pod-0") == 0);
    assertThat(table().get("0-key")).contains("SERVER_ERROR").contains("TLS handshake failed");
    String asked = discover("dns: \"imposter.example:%d\"".formatted(imposter.port()));
    nameServer.addresses("imposter.example", "127.0.0.1");
    assertThat(reload(yaml(asked + ", " + tls(authority)))).isEmpty();
    soon(() -> count(table(), "imposter") == KEYS);
  }

  @Test
  void shouldAskAClusterByTlsWhereItsNodesSpeakIt() throws Exception {
    Certificates authority = Certificates.of(directory, "ca");
    NamedServer node = tlsServer(authority, "node", "a.0001.example");
    try (ConfigurationEndpoint endpoint =
        new ConfigurationEndpoint(authority.context(authority.issue("endpoint")))) {
      endpoint.nodes("a.0001.example|127.0.0.1|" + node.port());
      start(
          "discover: {elasticache: \"localhost:%d\", every: 100ms}, %s"
              .formatted(endpoint.port(), tls(authority)));
      assertThat(count(table(), "node")).isEqualTo(KEYS);
      awaitAnswers("same", 2);
    }
  }

  // --- ElastiCache --------------------------------------------------------------------------

  @Test
  void shouldFollowTheConfigurationEndpointOfACluster() throws Exception {
    NamedServer one = server("one");
    NamedServer two = server("two");
    try (ConfigurationEndpoint endpoint = new ConfigurationEndpoint(null)) {
      String first = "a.0001.example|127.0.0.1|" + one.port();
      endpoint.nodes(first);
      start("discover: {elasticache: \"localhost:%d\", every: 100ms}".formatted(endpoint.port()));
      assertThat(count(table(), "one")).isEqualTo(KEYS);
      changing(() -> endpoint.nodes(first + " localhost||" + two.port()));
      assertThat(serversSeen())
          .containsExactly("a.0001.example:" + one.port(), "localhost:" + two.port());
      assertThat(table().values()).containsOnly("one", "two");

      endpoint.answer("ERROR\r\n");
      awaitAnswers("failed", 2);
      assertThat(pool().getJsonObject("discovery").getString("problem"))
          .isEqualTo("\"ERROR\" instead of the nodes: not a configuration endpoint");
      endpoint.answer("");
      awaitAnswers("failed", 2);
      assertThat(pool().getJsonObject("discovery").getString("problem"))
          .isEqualTo("the connection closed before the answer");
      endpoint.nodes("");
      awaitAnswers("refused", 2);
      assertThat(table().values()).containsOnly("one", "two");
    }
    awaitAnswers("failed", 1);
    assertThat(table().values()).containsOnly("one", "two");
  }

  @Test
  void shouldChangeNothingForAnAnswerThatIsTooLarge() throws Exception {
    NamedServer one = server("one");
    try (ConfigurationEndpoint endpoint = new ConfigurationEndpoint(null)) {
      endpoint.nodes("a.0001.example|127.0.0.1|" + one.port());
      start("discover: {elasticache: \"localhost:%d\", every: 100ms}".formatted(endpoint.port()));
      assertThat(table().values()).containsOnly("one");
      endpoint.nodes(nodes(Source.MOST_SERVERS + 1));
      awaitAnswers("refused", 2);
      assertThat(pool().getJsonObject("discovery").getString("problem"))
          .isEqualTo("more servers in the answer than the maximum of 1024");
      assertThat(serversSeen()).containsExactly("a.0001.example:" + one.port());
      assertThat(table().values()).containsOnly("one");
    }
  }

  private static String nodes(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "n" + i + "|127.0.0.1|1")
        .collect(Collectors.joining(" "));
  }
}
