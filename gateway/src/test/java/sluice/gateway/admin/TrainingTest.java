package sluice.gateway.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TrainingTest {
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  @RegisterExtension private final AdminPort port = new AdminPort();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | 400 | 'pool' is missing: /dictionary?pool=NAME",
        "?pool= | 400 | 'pool' is missing: /dictionary?pool=NAME",
        "?pool=cache&seconds=31 | 400 | seconds: found '31', expected 1 to 30",
        "?pool=cache&seconds=x | 400 | seconds: found 'x', expected 1 to 30",
        "?pool=cache&size=16KiB | 400 | size: found '16KiB', expected 1024 to 112640",
        "?pool=cache&size=1023 | 400 | size: found '1023', expected 1024 to 112640",
        "?pool=cache&pool=cache | 400 | found 'pool', expected pool, seconds and size, each at most"
            + " once",
        "?pool=cache&file=x | 400 | found 'file', expected pool, seconds and size, each at most"
            + " once",
        "?pool=other | 404 | no pool 'other'",
      })
  void shouldRefuseOtherQuestions(String question, int status, String error) throws Exception {
    HttpResponse<String> answer = http.send(post(question), BodyHandlers.ofString());
    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(new JsonObject(answer.body()).getString("error")).isEqualTo(error);
  }

  @Test
  void shouldDropTheSamplesOfACallerWhoLeaves() throws Exception {
    String[] parts = port.address().split(":");
    try (Socket caller = new Socket(parts[0], Integer.parseInt(parts[1]))) {
      caller
          .getOutputStream()
          .write(
              "POST /dictionary?pool=cache&seconds=30 HTTP/1.0\r\nContent-Length: 0\r\n\r\n"
                  .getBytes(UTF_8));
      while (status() != 409) {
        // it has not come yet
      }
    }
    int next;
    do {
      next = status();
    } while (next == 409);
    assertThat(next).isEqualTo(503);
  }

  private int status() throws Exception {
    return http.send(post("?pool=cache&seconds=1"), BodyHandlers.discarding()).statusCode();
  }

  private HttpRequest post(String question) {
    return port.post("/dictionary" + question);
  }
}
