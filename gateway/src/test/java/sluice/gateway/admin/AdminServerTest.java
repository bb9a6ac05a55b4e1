package sluice.gateway.admin;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.config.model.Address;
import sluice.config.model.AdminConfig;
import sluice.config.model.Ready;
import sluice.gateway.metrics.Interval;
import sluice.names.Version;
import sluice.testkit.ExpectedErrors;
import sluice.testkit.Patience;

class AdminServerTest {
  static final AdminConfig OPEN =
      new AdminConfig(
          new Address.Tcp("127.0.0.1", 0), Ready.PROCESS, Optional.empty(), Optional.empty());

  private final FakeView view = new FakeView();
  private final AtomicBoolean loopbackPeer = new AtomicBoolean(true);
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private Vertx vertx;
  private AdminServer server;
  private String address;

  @BeforeEach
  void start() throws Exception {
    vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(2).setWorkerPoolSize(2));
    server =
        new AdminServer(vertx, view, OPEN, peer -> Callers.isLoopback(peer) && loopbackPeer.get());
    address = server.listen("127.0.0.1:0").await(10, TimeUnit.SECONDS);
  }

  @AfterEach
  void stop() throws Exception {
    vertx.close().await(10, TimeUnit.SECONDS);
  }

  @Test
  void shouldTellWhichPortItIsBoundTo() throws Exception {
    assertThat(address).matches("127\\.0\\.0\\.1:[1-9][0-9]*");
    assertThatThrownBy(
            () -> new AdminServer(vertx, view, OPEN).listen(address).await(10, TimeUnit.SECONDS))
        .isInstanceOf(java.net.BindException.class);
    assertThatThrownBy(() -> server.listen("nowhere").await(10, TimeUnit.SECONDS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "found 'nowhere', expected host:port, or [IPv6 address]:port; port 0 for any free one");
  }

  @Test
  void shouldTellItsVersion() throws Exception {
    HttpResponse<String> answer = get("/version");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(json(answer).getString("version")).isEqualTo(Version.current());
    assertThat(json(answer).getString("java")).isEqualTo(Runtime.version().toString());
  }

  @Test
  void shouldTellTheStatusOfTheProcess() throws Exception {
    view.problems = List.of("sluice.yaml:1:1: wrong");
    JsonObject status = json(get("/status"));
    assertThat(status.getString("file")).isEqualTo("sluice.yaml");
    assertThat(status.getString("version")).isEqualTo(Version.current());
    assertThat(status.getString("started")).isEqualTo("2026-01-02T03:04:00Z");
    assertThat(status.getString("reloaded")).isEqualTo("2026-01-02T03:04:09Z");
    assertThat(status.getJsonArray("problems")).containsExactly("sluice.yaml:1:1: wrong");
    assertThat(status.getString("mayChange")).isEqualTo("yes");
    JsonObject certificate = status.getJsonArray("certificates").getJsonObject(0);
    assertThat(certificate.getString("usedBy")).isEqualTo("listener cache");
    assertThat(certificate.getString("expires")).isEqualTo("2027-01-02T03:04:05Z");

    loopbackPeer.set(false);
    assertThat(json(get("/status")).getString("mayChange")).isEqualTo("no");
  }

  @Test
  void shouldTellRoutesWithTheirRules() throws Exception {
    JsonObject route = new JsonArray(get("/routes").body()).getJsonObject(0);
    assertThat(route.getString("name")).isEqualTo("main");
    assertThat(route.getJsonArray("listeners")).containsExactly("cache", "plain");
    JsonObject first = route.getJsonArray("rules").getJsonObject(0);
    assertThat(first.getString("match")).isEqualTo("prefix \"x:\"");
    assertThat(first.getString("pool")).isEqualTo("cache");
    assertThat(first.getJsonArray("pools")).containsExactly("cache", "other");
    assertThat(first.getJsonArray("policies")).containsExactly("failover");
    JsonObject second = route.getJsonArray("rules").getJsonObject(1);
    assertThat(second.getString("pool")).isNull();
    assertThat(second.getString("reject")).isEqualTo("no");
  }

  @Test
  void shouldTellTheHistoryInColumns() throws Exception {
    Instant now = Instant.now();
    Interval old = new Interval(5, 9, 9, 9, 0, 0, Double.NaN, 0, 0, 0, 0, 0, 0);
    view.history.add(now.minusSeconds(600), old);
    view.history.add(now, new Interval(5, 100, 5, 20, 50, 500, 0.5, 1, 2, 3, 4, 6, 7));
    JsonObject all = json(get("/history"));
    assertThat(all.getInteger("everySeconds")).isEqualTo(5);
    assertThat(all.getJsonArray("times").getLong(1)).isEqualTo(now.toEpochMilli());
    JsonObject series = all.getJsonObject("series");
    assertThat(series.getJsonArray("requests").stream().map(n -> ((Number) n).doubleValue()))
        .containsExactly(1.8, 20.0);
    assertThat(series.getJsonArray("gatewayP50").getValue(0)).isNull();
    assertThat(series.getJsonArray("gatewayP50").getDouble(1)).isEqualTo(0.5);
    JsonObject minute = all.getJsonObject("lastMinute");
    assertThat(minute.getLong("requests")).isEqualTo(100);
    assertThat(minute.getLong("errors")).isEqualTo(5);
    assertThat(minute.getLong("misses")).isEqualTo(20);
    assertThat(json(get("/history?seconds=300")).getJsonArray("times")).hasSize(1);
    for (String wrong : List.of("0", "3601", "-1", "x")) {
      assertThat(get("/history?seconds=" + wrong).statusCode()).isEqualTo(400);
    }
  }

  @Test
  void shouldEjectAndRestoreAServer() throws Exception {
    String server = "?pool=cache&server=10.0.0.1:11211";
    assertThat(get("/eject" + server).statusCode()).isEqualTo(405);
    assertThat(send(request("/eject" + server).POST(BodyPublishers.noBody())).statusCode())
        .isEqualTo(200);
    assertThat(send(request("/restore" + server).POST(BodyPublishers.noBody())).statusCode())
        .isEqualTo(200);
    assertThat(view.decided).containsExactly("eject 10.0.0.1:11211", "restore 10.0.0.1:11211");

    view.against = "the pool has no 'health'";
    HttpResponse<String> refused = send(request("/eject" + server).POST(BodyPublishers.noBody()));
    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(json(refused).getString("error")).isEqualTo("the pool has no 'health'");
    assertThat(send(request("/eject?pool=x&server=y").POST(BodyPublishers.noBody())).statusCode())
        .isEqualTo(404);
    assertThat(send(request("/eject?pool=cache").POST(BodyPublishers.noBody())).statusCode())
        .isEqualTo(400);
    assertThat(
            send(request("/eject" + server)
                    .header("Sec-Fetch-Site", "cross-site")
                    .POST(BodyPublishers.noBody()))
                .statusCode())
        .isEqualTo(403);
    assertThat(view.decided).hasSize(3);
  }

  @Test
  void shouldStopListeningWhenClosed() throws Exception {
    server.close().await(10, TimeUnit.SECONDS);
    assertThatThrownBy(() -> get("/live")).isInstanceOf(java.net.ConnectException.class);
  }

  @Test
  void shouldBeLiveOnceEveryListenerIsBound() throws Exception {
    view.bound = false;
    HttpResponse<String> starting = get("/live");
    assertThat(starting.statusCode()).isEqualTo(503);
    assertThat(json(starting).getString("why")).isEqualTo("not every listener is bound yet");

    view.bound = true;
    assertThat(get("/live").statusCode()).isEqualTo(200);
  }

  @Test
  void shouldNotBeLiveWhileAnEventLoopIsBlocked() throws Exception {
    Context adminLoop = vertx.getOrCreateContext();
    // of another Vert.x, because the admin server's own loop must go on answering
    Vertx traffic = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    Context loop = traffic.getOrCreateContext();
    view.eventLoops = List.of(adminLoop, loop);
    assertThat(Patience.soon(() -> get("/live").statusCode() == 200)).isTrue();

    CountDownLatch unblock = new CountDownLatch(1);
    try {
      loop.runOnContext(unused -> awaitUninterruptibly(unblock));
      String why = "1 of 2 event loops did not answer within 1000 ms";
      // on a busy machine, the other loop may not answer in time either
      assertThat(Patience.soon(() -> get("/live").body().contains(why))).isTrue();
      assertThat(get("/live").statusCode()).isEqualTo(503);
    } finally {
      unblock.countDown();
    }
    assertThat(Patience.soon(() -> get("/live").statusCode() == 200)).isTrue();
    traffic.close().await(10, TimeUnit.SECONDS);
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @ParameterizedTest(name = "{0}, routes matter: {1}, a route unusable: {2} -> {3}")
  @CsvSource({
    "STARTING, false, false, 503",
    "RUNNING, false, false, 200",
    "RUNNING, false, true, 200",
    "RUNNING, true, false, 200",
    "RUNNING, true, true, 503",
    "DRAINING, false, false, 503",
    "DRAINING, true, false, 503"
  })
  void shouldBeReadyAsTheContractSays(
      Readiness.Phase phase, boolean routesMatter, boolean unusable, int status) throws Exception {
    view.readiness =
        new Readiness(
            phase,
            routesMatter,
            unusable ? List.of(new Readiness.UnusableRoute("main", "all servers down")) : List.of(),
            List.of("sluice.yaml:3:1: pools: found 1, expected a map"),
            5);
    HttpResponse<String> answer = get("/ready");
    assertThat(answer.statusCode()).isEqualTo(status);
    JsonObject body = json(answer);
    assertThat(body.getBoolean("ready")).isEqualTo(status == 200);
    assertThat(body.getString("phase")).isEqualTo(phase.label());
    assertThat(body.getString("readyMeans")).isEqualTo(routesMatter ? "routes" : "process");
    assertThat(body.getLong("inFlight")).isEqualTo(5);
    assertThat(body.getJsonArray("configurationProblems"))
        .containsExactly("sluice.yaml:3:1: pools: found 1, expected a map");
    assertThat(body.getJsonArray("unusableRoutes"))
        .isEqualTo(
            unusable
                ? new JsonArray()
                    .add(new JsonObject().put("route", "main").put("why", "all servers down"))
                : new JsonArray());
  }

  @Test
  void shouldSumMetricsAwayFromTheEventLoops() throws Exception {
    HttpResponse<String> answer = get("/metrics");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type"))
        .contains("text/plain; version=0.0.4; charset=utf-8");
    assertThat(answer.body()).contains("# on vert.x-worker-thread").endsWith("up 1\n");
  }

  @Test
  void shouldShowTheConfigurationThatRuns() throws Exception {
    view.configuration = "pools: {cache: {}} # größer als vorher\n";
    HttpResponse<String> answer = get("/config");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/yaml");
    assertThat(answer.body()).isEqualTo(view.configuration);
  }

  @Test
  void shouldListListeners() throws Exception {
    assertThat(new JsonArray(get("/listeners").body()))
        .isEqualTo(
            new JsonArray(
                """
                [{"name": "cache", "address": "127.0.0.1:11211", "protocol": "memcached",
                  "dialects": ["text", "meta"], "route": "main", "connections": 3,
                  "proxyProtocol": ["10.0.0.5", "10.0.8.0/24"]},
                 {"name": "plain", "address": "127.0.0.1:11212", "protocol": "memcached",
                  "dialects": ["binary"], "route": "main", "connections": 0}]
                """));
  }

  @Test
  void shouldListPoolsAndTheirServers() throws Exception {
    assertThat(new JsonArray(get("/pools").body()))
        .isEqualTo(
            new JsonArray(
                """
                [{"name": "cache", "protocol": "memcached", "discovery":
                  {"from": "srv _memcached._tcp.example", "answered": "2026-01-02T03:04:01Z",
                   "problem": "no servers in the answer", "since": "2026-01-02T03:04:02Z",
                   "remark": ""}, "ejects": true, "servers": [
                  {"server": "10.0.0.1:11211", "state": "up", "why": "answered the probe",
                   "since": "2026-01-02T03:04:05Z", "inFlight": 7, "connections": 2,
                   "version": "1.6.18", "ejections": 4,
                   "singleKeyGetsSince": "2026-01-02T03:04:07Z"},
                  {"server": "10.0.0.2:11211", "state": "down", "why": "connection refused",
                   "since": "2026-01-02T03:04:06Z", "inFlight": 0, "connections": 0,
                   "version": null, "ejections": 0,
                   "singleKeyGetsSince": null}]}]
                """));
  }

  @Test
  void shouldExplainTheWayOfARequest() throws Exception {
    HttpResponse<String> answer = get("/explain?listener=cache&command=get&key=a%20b%26c");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(json(answer))
        .isEqualTo(
            new JsonObject(
                """
                {"rule": "rule 1 of route main", "key": "v2:a b&c", "pool": "cache",
                 "server": "10.0.0.1:11211", "fallbacks": ["10.0.0.9:11211"],
                 "why": ["asked for get"]}
                """));
  }

  @Test
  void shouldExplainTheWayOfOneClientsRequest() throws Exception {
    String question = "/explain?listener=cache&command=get&key=a&client=";
    assertThat(json(get(question + "spiffe%3A%2F%2Fexample%2Fapp")).getJsonArray("why"))
        .containsExactly("asked for get by spiffe://example/app");
    assertThat(get(question + "x".repeat(2_049)).statusCode()).isEqualTo(400);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/explain                                     | 'listener' is missing",
        "/explain?listener=cache&key=k                | 'command' is missing",
        "/explain?listener=cache&command=get          | 'key' is missing",
        "/explain?listener=cache&command=get&key=     | 'key' is missing",
        "/explain?listener=other&command=get&key=k    | no listener 'other'; there is: cache"
      })
  void shouldSayWhatIsWrongWithAQuestion(String path, String error) throws Exception {
    HttpResponse<String> answer = get(path);
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(json(answer).getString("error")).startsWith(error);
  }

  @Test
  void shouldRefuseToExplainAKeyThatIsFarTooLong() throws Exception {
    HttpResponse<String> answer =
        get("/explain?listener=cache&command=get&key=" + "k".repeat(1_000));
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(json(answer).getString("error")).isEqualTo("'key' is too long");
  }

  @ParameterizedTest
  @ValueSource(strings = {"%zz", "%", "%4"})
  void shouldSayThatAQuestionIsNotProperlyEncoded(String key) throws Exception {
    String answer =
        raw(
            "GET /explain?listener=cache&command=get&key="
                + key
                + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assertThat(answer).startsWith("HTTP/1.1 400 ").contains("not correctly percent-encoded");
    String other =
        raw("GET /history?seconds=" + key + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assertThat(other).startsWith("HTTP/1.1 400 ").contains("not correctly percent-encoded");
  }

  @Test
  void shouldDrainForALoopbackPeer() throws Exception {
    HttpResponse<String> answer = send(request("/drain").POST(BodyPublishers.noBody()));
    assertThat(answer.statusCode()).isEqualTo(202);
    assertThat(json(answer)).isEqualTo(new JsonObject().put("draining", true));
    assertThat(view.drains).hasValue(1);
  }

  @Test
  void shouldNotDrainForAnybodyElse() throws Exception {
    loopbackPeer.set(false);
    HttpResponse<String> answer = send(request("/drain").POST(BodyPublishers.noBody()));
    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(json(answer).getString("error")).isEqualTo("accepted only from a loopback peer");
    assertThat(view.drains).hasValue(0);
    assertThat(get("/ready").statusCode()).as("reading is for everybody").isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource({
    "http://evil.example, 403",
    "null, 403",
    "http://%ADDRESS%, 202",
    "not an origin, 403"
  })
  void shouldNotDrainForAnotherSitesPage(String origin, int status) throws Exception {
    HttpResponse<String> answer =
        send(
            request("/drain")
                .header("Origin", origin.replace("%ADDRESS%", address))
                .POST(BodyPublishers.noBody()));
    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(view.drains).hasValue(status == 202 ? 1 : 0);
  }

  @Test
  void shouldNotDrainOnGet() throws Exception {
    HttpResponse<String> answer = get("/drain");
    assertThat(answer.statusCode()).isEqualTo(405);
    assertThat(answer.headers().firstValue("Allow")).contains("POST");
    assertThat(json(answer).getString("error")).isEqualTo("/drain accepts POST");
    assertThat(view.drains).hasValue(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "DELETE", "OPTIONS", "BREW"})
  void shouldSayWhichMethodsAPathTakes(String method) throws Exception {
    HttpResponse<String> answer = send(request("/pools").method(method, BodyPublishers.noBody()));
    assertThat(answer.statusCode()).isEqualTo(405);
    assertThat(answer.headers().firstValue("Allow")).contains("GET, HEAD");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/nothing", "/live/", "//live", "/LIVE", "/../live"})
  void shouldListItsPathsWhenAskedForAnother(String path) throws Exception {
    HttpResponse<String> answer = get(path);
    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(json(answer).getString("error")).isEqualTo("no such path");
    assertThat(json(answer).getJsonArray("paths"))
        .contains("/live", "/ready", "/metrics", "/pools", "/drain");
  }

  @Test
  void shouldTellWhichKeysAreHot() throws Exception {
    assertThat(json(get("/hot-keys")))
        .isEqualTo(
            new JsonObject(
                """
                {
                  "since": "2026-01-02T03:04:05Z",
                  "dropped": 7,
                  "groups": [{
                    "listener": "cache", "pool": "main", "requests": 1000, "sampled": 250,
                    "keys": [{"key": "a\\\\xffb\\\\\\\\", "share": 0.1235, "error": 0.02}]
                  }]
                }
                """));
  }

  @Test
  void shouldServeAPageThatFetchesNothingFromElsewhere() throws Exception {
    HttpResponse<String> page = get("/");
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.headers().firstValue("Content-Type")).contains("text/html; charset=utf-8");
    assertThat(page.headers().firstValue("Content-Security-Policy").orElseThrow())
        .startsWith("default-src 'none'")
        .contains("frame-ancestors 'none'");
    assertThat(page.body())
        .startsWith("<!DOCTYPE html>")
        .contains("const Metrics", "prefers-color-scheme: dark")
        .doesNotContain("/*page", "/*metrics", "//cdn", "src=\"http", "href=\"http", "@import");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/live", "/ready", "/metrics", "/config", "/listeners", "/pools", "/no"})
  void shouldAnswerHeadLikeGetWithoutTheBody(String path) throws Exception {
    HttpResponse<String> whole = get(path);
    HttpResponse<String> head = send(request(path).method("HEAD", BodyPublishers.noBody()));
    assertThat(head.statusCode()).isEqualTo(whole.statusCode());
    assertThat(head.body()).isEmpty();
    assertThat(head.headers().firstValue("Content-Length"))
        .contains(Integer.toString(whole.body().getBytes(StandardCharsets.UTF_8).length));
    assertThat(head.headers().firstValue("Content-Type"))
        .isEqualTo(whole.headers().firstValue("Content-Type"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/pools", "/metrics"})
  void shouldTellNothingOfWhatWentWrongInside(String path) throws Exception {
    view.bug = new IllegalStateException("secret detail");
    List<HttpResponse<String>> answers = new ArrayList<>();
    ExpectedErrors.of("GET " + path + " failed").during(() -> answers.add(get(path)));
    HttpResponse<String> answer = answers.get(0);
    assertThat(answer.statusCode()).isEqualTo(500);
    assertThat(json(answer))
        .isEqualTo(new JsonObject().put("error", "internal error; the log has the details"));
    view.bug = null;
    assertThat(get(path).statusCode()).isEqualTo(200);
  }

  @Test
  void shouldForbidCachesAndGuessingOfTypes() throws Exception {
    HttpResponse<String> answer = get("/pools");
    assertThat(answer.headers().firstValue("Cache-Control")).contains("no-store");
    assertThat(answer.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
  }

  @Test
  void shouldRefuseARequestLineThatIsTooLong() throws Exception {
    String answer = raw("GET /" + "a".repeat(5_000) + " HTTP/1.1\r\nHost: x\r\n\r\n");
    assertThat(answer)
        .matches("(?s)HTTP/1\\.[01] 414 .*")
        .contains("request line of more than 4096 bytes");
  }

  @Test
  void shouldRefuseHeadersThatAreTooLong() throws Exception {
    String answer = raw("GET /live HTTP/1.1\r\nHost: x\r\nA: " + "a".repeat(9_000) + "\r\n\r\n");
    assertThat(answer)
        .matches("(?s)HTTP/1\\.[01] 431 .*")
        .contains("headers of more than 8192 bytes");
  }

  @Test
  void shouldRefuseWhatIsNotHttp() throws Exception {
    assertThat(raw("set k 0 0 1\r\nx\r\n\r\n")).matches("(?s)HTTP/1\\.[01] 400 .*");
  }

  @Test
  void shouldRefuseABodyThatIsDeclaredTooLong() throws Exception {
    String answer = raw("POST /drain HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n");
    assertThat(answer).startsWith("HTTP/1.1 413 ").contains("body of more than 4096 bytes");
    assertThat(view.drains).hasValue(0);
  }

  @Test
  void shouldCutOffABodyThatDoesNotEnd() throws Exception {
    String chunk = "400\r\n" + "x".repeat(1_024) + "\r\n";
    String answer =
        raw(
            "GET /live HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                + chunk.repeat(4)
                + "1\r\nx");
    assertThat(answer).startsWith("HTTP/1.1 200 ");
  }

  @Test
  void shouldTakeASmallBodyAndThenTheNextRequest() throws Exception {
    String answer =
        raw(
            "POST /drain HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
                + "GET /live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assertThat(answer).startsWith("HTTP/1.1 202 ").contains("HTTP/1.1 200 ");
  }

  /** Otherwise a caller that holds them all has the container restarted: no probe is answered. */
  @Test
  void shouldAnswerANewConnectionWhenThereAreTooManyAndCloseTheOneThatAskedLongestAgo()
      throws Exception {
    int port = Integer.parseInt(address.substring(address.indexOf(':') + 1));
    String request = "GET /live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    List<Socket> open = new ArrayList<>();
    try {
      for (int i = 0; i < 128; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.getOutputStream().write("GET /live HTTP/1.1\r\nX: ".getBytes(US_ASCII));
        socket.setSoTimeout(10_000);
        open.add(socket);
      }
      assertThat(raw(request)).startsWith("HTTP/1.1 200 ");
      assertThat(open.get(0).getInputStream().read()).isNegative();
      open.get(1).getOutputStream().write("y\r\nHost: x\r\n\r\n".getBytes(US_ASCII));
      assertThat(open.get(1).getInputStream().read()).isEqualTo('H');
      Socket another = new Socket(InetAddress.getLoopbackAddress(), port);
      open.add(another); // in place of the one that was answered and has left
      assertThat(raw(request)).startsWith("HTTP/1.1 200 ");
      assertThat(open.get(2).getInputStream().read()).as("the second had asked").isNegative();
    } finally {
      for (Socket socket : open) {
        socket.close();
      }
    }
  }

  /** A handler for WebSockets, which the port does not have, would fail beyond 128 of them. */
  @Test
  void shouldAnswerAllRequestsThatAreSentWithoutWaiting() throws Exception {
    int count = 1000;
    String last = "GET /version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    String answers = raw("GET /version HTTP/1.1\r\nHost: x\r\n\r\n".repeat(count - 1) + last);
    assertThat(answers.split("HTTP/1.1 200 OK", -1)).hasSize(count + 1);
  }

  @Test
  void shouldTakeAPeerForWhatItIs() throws Exception {
    Optional<InetAddress> outside =
        NetworkInterface.networkInterfaces()
            .flatMap(NetworkInterface::inetAddresses)
            .filter(candidate -> candidate instanceof Inet4Address)
            .filter(candidate -> !candidate.isLoopbackAddress())
            .findFirst();
    assumeTrue(outside.isPresent(), "a machine with an address of its own");
    String bound =
        new AdminServer(vertx, view, OPEN).listen("0.0.0.0:0").await(10, TimeUnit.SECONDS);
    String port = bound.substring(bound.lastIndexOf(':'));

    address = outside.get().getHostAddress() + port;
    assertThat(send(request("/drain").POST(BodyPublishers.noBody())).statusCode()).isEqualTo(403);
    assertThat(get("/ready").statusCode()).isEqualTo(200);
    address = "127.0.0.1" + port;
    assertThat(send(request("/drain").POST(BodyPublishers.noBody())).statusCode()).isEqualTo(202);
    assertThat(view.drains).hasValue(1);
  }

  /** Sends bytes as they are; returns all that comes until the server closes the connection. */
  private String raw(String bytes) throws IOException {
    int port = Integer.parseInt(address.substring(address.indexOf(':') + 1));
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(10_000);
      ByteArrayOutputStream answer = new ByteArrayOutputStream();
      try {
        socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
        socket.getInputStream().transferTo(answer);
      } catch (SocketException reset) {
        // closed before it had read all we sent: closed all the same
      }
      return answer.toString(StandardCharsets.UTF_8);
    }
  }

  private HttpResponse<String> get(String path) throws Exception {
    return send(request(path).GET());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://" + address + path))
        .timeout(Duration.ofSeconds(10));
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return http.send(request.build(), BodyHandlers.ofString());
  }

  private static JsonObject json(HttpResponse<String> answer) {
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
    return new JsonObject(answer.body());
  }
}
