package sluice.gateway.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.gateway.admin.AdminPort.json;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.metrics.Interval;
import sluice.names.Version;
import sluice.testkit.ExpectedErrors;

/** What the admin port tells of the process, its configuration and its servers. */
class AdminAnswersTest {
  @RegisterExtension private final AdminPort port = new AdminPort();
  private final FakeView view = port.view();

  @Test
  void shouldTellItsVersion() throws Exception {
    HttpResponse<String> answer = port.get("/version");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(json(answer).getString("version")).isEqualTo(Version.current());
    assertThat(json(answer).getString("java")).isEqualTo(Runtime.version().toString());
  }

  @Test
  void shouldTellTheStatusOfTheProcess() throws Exception {
    view.problems = List.of("sluice.yaml:1:1: wrong");
    JsonObject status = json(port.get("/status"));
    assertThat(status.getString("file")).isEqualTo("sluice.yaml");
    assertThat(status.getString("version")).isEqualTo(Version.current());
    assertThat(status.getString("started")).isEqualTo("2026-01-02T03:04:00Z");
    assertThat(status.getString("reloaded")).isEqualTo("2026-01-02T03:04:09Z");
    assertThat(status.getJsonArray("problems")).containsExactly("sluice.yaml:1:1: wrong");
    assertThat(status.getString("mayChange")).isEqualTo("yes");
    JsonObject certificate = status.getJsonArray("certificates").getJsonObject(0);
    assertThat(certificate.getString("usedBy")).isEqualTo("listener cache");
    assertThat(certificate.getString("expires")).isEqualTo("2027-01-02T03:04:05Z");

    port.isCalledFromElsewhere();
    assertThat(json(port.get("/status")).getString("mayChange")).isEqualTo("no");
  }

  @Test
  void shouldTellRoutesWithTheirRules() throws Exception {
    JsonObject route = new JsonArray(port.get("/routes").body()).getJsonObject(0);
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
    JsonObject all = json(port.get("/history"));
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
    assertThat(json(port.get("/history?seconds=300")).getJsonArray("times")).hasSize(1);
    for (String wrong : List.of("0", "3601", "-1", "x")) {
      assertThat(port.get("/history?seconds=" + wrong).statusCode()).isEqualTo(400);
    }
  }

  @Test
  void shouldSumMetricsAwayFromTheEventLoops() throws Exception {
    HttpResponse<String> answer = port.get("/metrics");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type"))
        .contains("text/plain; version=0.0.4; charset=utf-8");
    assertThat(answer.body()).contains("# on vert.x-worker-thread").endsWith("up 1\n");
  }

  /** The timeouts of all event loops depend on the port's own, and so does a liveness probe. */
  @ParameterizedTest
  @ValueSource(strings = {"/config", "/routes", "/explain?listener=cache&command=get&key=k"})
  void shouldMakeAnswersThatMayTakeLongAwayFromTheEventLoops(String path) throws Exception {
    assertThat(port.get(path).statusCode()).isEqualTo(200);
    assertThat(view.workedOn).startsWith("vert.x-worker-thread");
  }

  @Test
  void shouldShowTheConfigurationThatRuns() throws Exception {
    view.configuration = "pools: {cache: {}} # größer als vorher\n";
    HttpResponse<String> answer = port.get("/config");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/yaml");
    assertThat(answer.body()).isEqualTo(view.configuration);
  }

  @Test
  void shouldListListeners() throws Exception {
    assertThat(new JsonArray(port.get("/listeners").body()))
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
    assertThat(new JsonArray(port.get("/pools").body()))
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
    HttpResponse<String> answer = port.get("/explain?listener=cache&command=get&key=a%20b%26c");
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
    assertThat(json(port.get(question + "spiffe%3A%2F%2Fexample%2Fapp")).getJsonArray("why"))
        .containsExactly("asked for get by spiffe://example/app");
    assertThat(port.get(question + "x".repeat(2_049)).statusCode()).isEqualTo(400);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/explain                                     | 'listener' is missing",
        "/explain?listener=cache&key=k                | 'command' is missing",
        "/explain?listener=cache&command=get          | 'key' is missing",
        "/explain?listener=cache&command=get&key=     | 'key' is missing",
        "/explain?listener=other&command=get&key=k    | no listener 'other'; there is: cache",
        "/explain?listener=cache&command=get&key=k&clint=a | found 'clint', expected listener,"
            + " command, key, client and token, each at most once",
        "/explain?listener=cache&command=get&key=k&key=l | found 'key', expected listener,"
            + " command, key, client and token, each at most once",
        "/history?second=5                            | found 'second', expected seconds, at most"
            + " once",
        "/history?seconds=5&seconds=6                 | found 'seconds', expected seconds, at most"
            + " once"
      })
  void shouldSayWhatIsWrongWithAQuestion(String path, String error) throws Exception {
    HttpResponse<String> answer = port.get(path);
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(json(answer).getString("error")).startsWith(error);
  }

  @Test
  void shouldRefuseToExplainAKeyThatIsFarTooLong() throws Exception {
    HttpResponse<String> answer =
        port.get("/explain?listener=cache&command=get&key=" + "k".repeat(1_000));
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(json(answer).getString("error")).isEqualTo("'key' is too long");
  }

  @ParameterizedTest
  @ValueSource(strings = {"%zz", "%", "%4"})
  void shouldSayThatAQuestionIsNotProperlyEncoded(String key) throws Exception {
    String answer =
        port.raw(
            "GET /explain?listener=cache&command=get&key="
                + key
                + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assertThat(answer).startsWith("HTTP/1.1 400 ").contains("not correctly percent-encoded");
    String other =
        port.raw(
            "GET /history?seconds=" + key + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assertThat(other).startsWith("HTTP/1.1 400 ").contains("not correctly percent-encoded");
  }

  @Test
  void shouldTellWhichKeysAreHot() throws Exception {
    assertThat(json(port.get("/hot-keys")))
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
    HttpResponse<String> page = port.get("/");
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
  @ValueSource(strings = {"/pools", "/metrics"})
  void shouldTellNothingOfWhatWentWrongInside(String path) throws Exception {
    view.bug = new IllegalStateException("secret detail");
    List<HttpResponse<String>> answers = new ArrayList<>();
    ExpectedErrors.of("GET " + path + " failed").during(() -> answers.add(port.get(path)));
    HttpResponse<String> answer = answers.get(0);
    assertThat(answer.statusCode()).isEqualTo(500);
    assertThat(json(answer))
        .isEqualTo(new JsonObject().put("error", "internal error; the log has the details"));
    view.bug = null;
    assertThat(port.get(path).statusCode()).isEqualTo(200);
  }
}
