package sluice.gateway.demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.testkit.Patience;

@Timeout(120)
class DemoTest {
  private static final Pattern PAGE = Pattern.compile("page: +(http://\\S+)");

  private static final Pattern EJECTED =
      Pattern.compile("sluice_server_ejections_total\\{[^}]*} [1-9]");

  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private final Demo demo = new Demo(new PrintStream(said, true, UTF_8), 400, 1_000, 500);

  private static String get(String address) throws Exception {
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(URI.create(address)).build(), BodyHandlers.ofString())
        .body();
  }

  private void fail() {
    try {
      demo.fail();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void shouldServeWhileServersFailAndComeBack() throws Exception {
    demo.start();
    Thread failing = new Thread(this::fail);
    failing.start();
    try {
      Matcher page = PAGE.matcher(said.toString(UTF_8));
      assertThat(page.find()).as(said.toString(UTF_8)).isTrue();
      assertThat(get(page.group(1))).contains("<html");
      assertThat(Patience.soon(() -> said.toString(UTF_8).contains("server b is back"))).isTrue();
      assertThat(said.toString(UTF_8)).contains("server a fails", "server a is back, empty");
      long before = demo.replies();
      assertThat(Patience.soon(() -> demo.replies() > before + 100)).isTrue();
      assertThat(Patience.soon(() -> EJECTED.matcher(get(page.group(1) + "metrics")).find()))
          .isTrue();
    } finally {
      failing.interrupt();
      failing.join();
      demo.stop();
    }
  }
}
