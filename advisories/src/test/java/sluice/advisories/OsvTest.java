package sluice.advisories;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against a server that speaks as osv.dev's documentation says, and as it must not. */
class OsvTest {
  private static final LocalDate TODAY = LocalDate.of(2026, 11, 22);
  private static final List<Dependency> SHIPPED =
      List.of(new Dependency("a:b", "1.4"), new Dependency("a:c", "2"));

  @TempDir private Path directory;
  private HttpServer server;
  private Path known;

  /** By path the answer to a body, which begins with the status. */
  private final Map<String, Function<JsonObject, String>> answers = new ConcurrentHashMap<>();

  @BeforeEach
  void start() throws IOException {
    known = directory.resolve("known.json");
    Files.writeString(known, "as it was");
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        pending -> {
          String body = new String(pending.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          String answer =
              answers
                  .getOrDefault(pending.getRequestURI().getPath(), question -> "404 {}")
                  .apply(body.isEmpty() ? new JsonObject() : new JsonObject(body));
          byte[] bytes = answer.substring(4).getBytes(StandardCharsets.UTF_8);
          pending.sendResponseHeaders(
              Integer.parseInt(answer.substring(0, 3)), bytes.length == 0 ? -1 : bytes.length);
          pending.getResponseBody().write(bytes);
          pending.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void shouldKeepTheFactsOfEveryPageAndNothingElse() throws IOException, InterruptedException {
    answers.put(
        "/v1/querybatch",
        question -> {
          JsonArray results = new JsonArray();
          Advisory.objects(question.getJsonArray("queries"))
              .forEach(
                  query -> {
                    boolean ours =
                        query
                            .getJsonObject("package")
                            .equals(new JsonObject().put("ecosystem", "Maven").put("name", "a:b"));
                    String page = query.getString("page_token");
                    results.add(
                        new JsonObject(
                            !ours
                                ? "{}"
                                : page == null
                                    ? "{\"vulns\": [{\"id\": \"GHSA-2\"}], \"next_page_token\":"
                                        + " \"second\"}"
                                    : page.equals("second")
                                        ? "{\"vulns\": [{\"id\": \"GHSA-1\"}, {\"id\":"
                                            + " \"GHSA-3\"}]}"
                                        : "{\"vulns\": [{\"id\": \"GHSA-404\"}]}"));
                  });
          return "200 " + new JsonObject().put("results", results).encode();
        });
    answers.put("/v1/vulns/GHSA-1", question -> "200 " + vulnerability("GHSA-1"));
    answers.put("/v1/vulns/GHSA-2", question -> "200 " + vulnerability("GHSA-2"));
    answers.put(
        "/v1/vulns/GHSA-3",
        question ->
            "200 "
                + new JsonObject(vulnerability("GHSA-3"))
                    .put("withdrawn", "2026-01-01T00:00:00Z")
                    .encode());

    update();

    Snapshot snapshot = Snapshot.read(known);
    assertThat(snapshot.asOf()).isEqualTo(TODAY);
    assertThat(snapshot.source()).isEqualTo(base().toString());
    assertThat(snapshot.packages()).containsExactly("a:b", "a:c");
    assertThat(snapshot.advisories()).extracting(Advisory::id).containsExactly("GHSA-1", "GHSA-2");
    Advisory first = snapshot.advisories().get(0);
    assertThat(first.osv())
        .isEqualTo(
            new JsonObject(
                """
                {"id": "GHSA-1", "modified": "2026-02-01T00:00:00Z", "aliases": ["CVE-1"],
                 "database_specific": {"severity": "HIGH"},
                 "references": [{"type": "ADVISORY", "url": "https://osv.dev/vulnerability/GHSA-1"}],
                 "affected": [{"package": {"ecosystem": "Maven", "name": "a:b"},
                   "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "1.5"}]}]}]}
                """));
    assertThat(Scan.of(SHIPPED, snapshot, List.of(), TODAY).failures()).hasSize(2);
    assertThat(directory).isDirectoryNotContaining(file -> !file.equals(known));
  }

  @Test
  void shouldSayWhoCannotBeReachedAndChangeNothing() {
    server.stop(0);
    assertFails("http://", "cannot be reached from here", "known.json stays as it was");
  }

  @Test
  void shouldNotTakeAnErrorForAnAnswer() {
    answers.put("/v1/querybatch", question -> "503 {\"results\": [{}, {}]}");
    assertFails("/v1/querybatch", "found status 503, expected 200");
  }

  @Test
  void shouldNotTakeAPageOfAProxyForAnAnswer() {
    answers.put("/v1/querybatch", question -> "200 <html>Please log in</html>");
    assertFails("/v1/querybatch", "expected a JSON object");
    answers.put("/v1/querybatch", question -> "200 ");
    assertFails("/v1/querybatch", "expected a JSON object");
  }

  @Test
  void shouldWantAResultForEveryPackage() {
    answers.put("/v1/querybatch", question -> "200 {\"results\": [{}]}");
    assertFails("found 1 results, expected 2");
    answers.put("/v1/querybatch", question -> "200 {}");
    assertFails("found 0 results, expected 2");
  }

  @Test
  void shouldNotFollowPagesInACircle() {
    answers.put(
        "/v1/querybatch",
        question ->
            "200 "
                + new JsonObject()
                    .put(
                        "results",
                        new JsonArray(
                            Advisory.objects(question.getJsonArray("queries"))
                                .map(query -> new JsonObject().put("next_page_token", "again"))
                                .toList()))
                    .encode());
    assertFails("pages, expected a last one");
  }

  @Test
  void shouldNotLeaveOutAnAdvisoryThatIsMissing() {
    answers.put(
        "/v1/querybatch",
        question -> "200 {\"results\": [{\"vulns\": [{\"id\": \"GHSA-1\"}]}, {}]}");
    assertFails("/v1/vulns/GHSA-1", "found status 404");
    answers.put("/v1/vulns/GHSA-1", question -> "200 " + vulnerability("GHSA-2"));
    assertFails("found the advisory GHSA-2, expected GHSA-1");
  }

  private void assertFails(String... parts) {
    assertThatThrownBy(this::update).isInstanceOf(IOException.class).hasMessageContainingAll(parts);
    assertThat(known).hasContent("as it was");
    assertThat(directory).isDirectoryNotContaining(file -> !file.equals(known));
  }

  private void update() throws IOException, InterruptedException {
    Main.update(new Osv(base(), Duration.ofSeconds(30)), SHIPPED, known, TODAY);
  }

  private URI base() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  private static String vulnerability(String id) {
    return """
    {"id": "%s", "summary": "words", "details": "more words", "modified": "2026-02-01T00:00:00Z", "aliases": ["CVE-1"],
     "database_specific": {"severity": "HIGH", "cwe_ids": []},
     "references": [{"type": "WEB", "url": "https://example.org"}],
     "affected": [
      {"package": {"ecosystem": "Maven", "name": "a:b", "purl": "pkg:maven/a/b"}, "versions": ["1.3", "1.4"],
       "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "1.5"}]}]},
      {"package": {"ecosystem": "npm", "name": "a:b"}, "versions": ["1.4"]},
      {"package": {"ecosystem": "Maven", "name": "somebody:else"}, "versions": ["1.4"]}]}
    """
        .formatted(id);
  }
}
