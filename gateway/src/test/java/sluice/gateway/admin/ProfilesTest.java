package sluice.gateway.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.testkit.Patience;

class ProfilesTest {
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  @RegisterExtension private final AdminPort port = new AdminPort();

  @ParameterizedTest
  @CsvSource({
    "cpu, flamegraph, text/html; charset=utf-8, <!DOCTYPE html>",
    "cpu, collapsed, text/plain; charset=utf-8, ''",
    "alloc, jfr, application/octet-stream, FLR",
    "lock, flamegraph, text/html; charset=utf-8, <!DOCTYPE html>",
    "wall, collapsed, text/plain; charset=utf-8, ''",
  })
  void shouldAnswerWithTheProfileAndItsEngine(
      String event, String format, String contentType, String begins) throws Exception {
    HttpResponse<byte[]> answer =
        http.send(
            post("?event=" + event + "&seconds=1&format=" + format), BodyHandlers.ofByteArray());
    assertThat(answer.statusCode()).as(new String(answer.body(), UTF_8)).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type")).contains(contentType);
    String engine = answer.headers().firstValue("Sluice-Profile-Engine").orElseThrow();
    assertThat(engine).isIn("perf_events", "ctimer", "itimer", "jvmti-alloc", "jvmti-lock", "wall");
    assertThat(answer.headers().firstValue("Content-Disposition").orElseThrow())
        .startsWith("inline; filename=\"" + event + "-" + engine + "-1s.");
    assertThat(new String(answer.body(), UTF_8)).startsWith(begins);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "?event=cpu%2Cfile%3D/tmp/x | event: found 'cpu,file=/tmp/x', expected one of cpu, alloc,"
            + " lock, wall",
        "?seconds=3600 | seconds: found 3600, expected 1 to 50",
        "?file=/tmp/x | found 'file', expected event, seconds and format, each at most once",
        "?event=cpu&event=lock | found 'event', expected event, seconds and format, each at most"
            + " once"
      })
  void shouldRefuseWhatIsNotOnTheList(String question, String error) throws Exception {
    HttpResponse<String> answer = http.send(post(question), BodyHandlers.ofString());
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(new JsonObject(answer.body()).getString("error")).isEqualTo(error);
  }

  @Test
  void shouldAnswerEverythingElseMeanwhileAndRefuseASecondProfile() throws Exception {
    HttpRequest wall = post("?event=wall&seconds=3&format=collapsed");
    CompletableFuture<Integer> one = status(wall);
    CompletableFuture<Integer> other = status(wall);
    HttpRequest live =
        HttpRequest.newBuilder(URI.create("http://" + port.address() + "/live")).build();
    assertThat(http.send(live, BodyHandlers.discarding()).statusCode()).isEqualTo(200);
    assertThat(List.of(one.get(60, TimeUnit.SECONDS), other.get(60, TimeUnit.SECONDS)))
        .containsExactlyInAnyOrder(200, 409);
    assertThat(http.send(post("?seconds=1"), BodyHandlers.discarding()).statusCode())
        .isEqualTo(200);
  }

  @Test
  void shouldEndTheProfileOfACallerWhoLeaves() throws Exception {
    // its request is refused if it comes while one of this test's own is at work
    assertThat(Patience.within(Duration.ofMinutes(2), this::beginsAndLeaves)).isTrue();
    // before the profile would have ended by itself
    assertThat(Patience.within(Duration.ofSeconds(40), () -> ask() == 200)).isTrue();
  }

  /** Whether a caller's profile had begun when the caller left. */
  private boolean beginsAndLeaves() throws Exception {
    String[] parts = port.address().split(":");
    try (Socket caller = new Socket(parts[0], Integer.parseInt(parts[1]))) {
      caller
          .getOutputStream()
          .write(
              "POST /profile?seconds=50 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"
                  .getBytes(UTF_8));
      return Patience.soon(() -> ask() == 409 || caller.getInputStream().available() > 0)
          && caller.getInputStream().available() == 0;
    }
  }

  private int ask() throws Exception {
    return http.send(post("?seconds=1"), BodyHandlers.discarding()).statusCode();
  }

  private CompletableFuture<Integer> status(HttpRequest request) {
    return http.sendAsync(request, BodyHandlers.discarding()).thenApply(HttpResponse::statusCode);
  }

  private HttpRequest post(String question) {
    return port.post("/profile" + question);
  }
}
