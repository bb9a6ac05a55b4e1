package sluice.gateway.admin;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static sluice.gateway.admin.AdminPort.json;

import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests and connections of the admin port, as HTTP has them, and their limits. */
class AdminRequestsTest {
  @RegisterExtension private final AdminPort port = new AdminPort();
  private final FakeView view = port.view();

  @Test
  void shouldNotDrainOnGet() throws Exception {
    HttpResponse<String> answer = port.get("/drain");
    assertThat(answer.statusCode()).isEqualTo(405);
    assertThat(answer.headers().firstValue("Allow")).contains("POST");
    assertThat(json(answer).getString("error")).isEqualTo("/drain accepts POST");
    assertThat(view.drains).hasValue(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "DELETE", "OPTIONS", "BREW"})
  void shouldSayWhichMethodsAPathTakes(String method) throws Exception {
    HttpResponse<String> answer =
        port.send(port.request("/pools").method(method, BodyPublishers.noBody()));
    assertThat(answer.statusCode()).isEqualTo(405);
    assertThat(answer.headers().firstValue("Allow")).contains("GET, HEAD");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/nothing", "/live/", "//live", "/LIVE", "/../live"})
  void shouldListItsPathsWhenAskedForAnother(String path) throws Exception {
    HttpResponse<String> answer = port.get(path);
    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(json(answer).getString("error")).isEqualTo("no such path");
    assertThat(json(answer).getJsonArray("paths"))
        .contains("/live", "/ready", "/metrics", "/pools", "/drain");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/live", "/ready", "/metrics", "/config", "/listeners", "/pools", "/no"})
  void shouldAnswerHeadLikeGetWithoutTheBody(String path) throws Exception {
    HttpResponse<String> whole = port.get(path);
    HttpResponse<String> head =
        port.send(port.request(path).method("HEAD", BodyPublishers.noBody()));
    assertThat(head.statusCode()).isEqualTo(whole.statusCode());
    assertThat(head.body()).isEmpty();
    assertThat(head.headers().firstValue("Content-Length"))
        .contains(Integer.toString(whole.body().getBytes(StandardCharsets.UTF_8).length));
    assertThat(head.headers().firstValue("Content-Type"))
        .isEqualTo(whole.headers().firstValue("Content-Type"));
  }

  @Test
  void shouldForbidCachesAndGuessingOfTypes() throws Exception {
    HttpResponse<String> answer = port.get("/pools");
    assertThat(answer.headers().firstValue("Cache-Control")).contains("no-store");
    assertThat(answer.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
  }

  @Test
  void shouldRefuseARequestLineThatIsTooLong() throws Exception {
    String answer = port.raw("GET /" + "a".repeat(5_000) + " HTTP/1.1\r\nHost: x\r\n\r\n");
    assertThat(answer)
        .matches("(?s)HTTP/1\\.[01] 414 .*")
        .contains("request line of more than 4096 bytes");
  }

  @Test
  void shouldRefuseHeadersThatAreTooLong() throws Exception {
    String answer =
        port.raw("GET /live HTTP/1.1\r\nHost: x\r\nA: " + "a".repeat(9_000) + "\r\n\r\n");
    assertThat(answer)
        .matches("(?s)HTTP/1\\.[01] 431 .*")
        .contains("headers of more than 8192 bytes");
  }

  @Test
  void shouldRefuseWhatIsNotHttp() throws Exception {
    assertThat(port.raw("set k 0 0 1\r\nx\r\n\r\n")).matches("(?s)HTTP/1\\.[01] 400 .*");
  }

  @Test
  void shouldRefuseABodyThatIsDeclaredTooLong() throws Exception {
    String answer = port.raw("POST /drain HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n");
    assertThat(answer).startsWith("HTTP/1.1 413 ").contains("body of more than 4096 bytes");
    assertThat(view.drains).hasValue(0);
  }

  @Test
  void shouldCutOffABodyThatDoesNotEnd() throws Exception {
    String chunk = "400\r\n" + "x".repeat(1_024) + "\r\n";
    String answer =
        port.raw(
            "GET /live HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                + chunk.repeat(4)
                + "1\r\nx");
    assertThat(answer).startsWith("HTTP/1.1 200 ");
  }

  @Test
  void shouldTakeASmallBodyAndThenTheNextRequest() throws Exception {
    String answer =
        port.raw(
            "POST /drain HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
                + "GET /live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assertThat(answer).startsWith("HTTP/1.1 202 ").contains("HTTP/1.1 200 ");
  }

  /** Otherwise a caller that holds them all has the container restarted: no probe is answered. */
  @Test
  void shouldAnswerANewConnectionWhenThereAreTooManyAndCloseTheOneThatAskedLongestAgo()
      throws Exception {
    String request = "GET /live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    List<Socket> open = new ArrayList<>();
    try {
      for (int i = 0; i < 128; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port.number());
        socket.getOutputStream().write("GET /live HTTP/1.1\r\nX: ".getBytes(US_ASCII));
        socket.setSoTimeout(10_000);
        open.add(socket);
      }
      assertThat(port.raw(request)).startsWith("HTTP/1.1 200 ");
      assertThat(open.get(0).getInputStream().read()).isNegative();
      open.get(1).getOutputStream().write("y\r\nHost: x\r\n\r\n".getBytes(US_ASCII));
      assertThat(open.get(1).getInputStream().read()).isEqualTo('H');
      Socket another = new Socket(InetAddress.getLoopbackAddress(), port.number());
      open.add(another); // in place of the one that was answered and has left
      assertThat(port.raw(request)).startsWith("HTTP/1.1 200 ");
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
    String answers = port.raw("GET /version HTTP/1.1\r\nHost: x\r\n\r\n".repeat(count - 1) + last);
    assertThat(answers.split("HTTP/1.1 200 OK", -1)).hasSize(count + 1);
  }

  /** The timeouts of all event loops depend on the port's own, and so does a liveness probe. */
  @Test
  void shouldLetOthersComeBetweenRequestsThatAreSentWithoutWaiting() throws Exception {
    int count = 400;
    try (Socket greedy = new Socket(InetAddress.getLoopbackAddress(), port.number())) {
      String requests = "GET /listeners HTTP/1.1\r\nHost: x\r\n\r\n".repeat(count);
      greedy.getOutputStream().write(requests.getBytes(US_ASCII));
      assertThat(greedy.getInputStream().read()).isEqualTo('H');
      assertThat(port.get("/live").statusCode()).isEqualTo(200);
      assertThat(view.listenersAsked).hasValueLessThan(count);
    }
  }
}
