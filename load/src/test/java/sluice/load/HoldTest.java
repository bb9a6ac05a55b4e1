package sluice.load;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.config.model.Address;

@Timeout(60)
class HoldTest {
  @TempDir Path directory;

  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(said, true, UTF_8);

  private static String ask(String method, String base, String path) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection) URI.create(base + path).toURL().openConnection();
    connection.setRequestMethod(method);
    int status = connection.getResponseCode();
    return status == 200
        ? new String(connection.getInputStream().readAllBytes(), UTF_8)
        : Integer.toString(status);
  }

  private String base() throws InterruptedException {
    while (!said.toString(UTF_8).contains("ARTIFACTS READY ")) {
      TimeUnit.MILLISECONDS.sleep(10);
    }
    return "http://" + said.toString(UTF_8).strip().replace("ARTIFACTS READY ", "");
  }

  @Test
  void shouldHandOutWhatIsThereUntilSomebodyIsDone() throws Exception {
    Files.writeString(directory.resolve("verdict.json"), "{}");
    Files.createDirectory(directory.resolve("inner"));
    Thread serving =
        new Thread(
            () -> {
              try {
                new Hold(directory).serve(new Address.Tcp("127.0.0.1", 0), 50, out);
              } catch (IOException | InterruptedException e) {
                out.println(e);
              }
            });
    serving.start();
    String base = base();
    assertThat(ask("GET", base, "/")).isEqualTo("verdict.json\n");
    assertThat(ask("GET", base, "/verdict.json")).isEqualTo("{}");
    assertThat(ask("GET", base, "/inner")).isEqualTo("404");
    assertThat(ask("GET", base, "/..%2fverdict.json")).isEqualTo("404");
    assertThat(ask("PUT", base, "/verdict.json")).isEqualTo("405");
    assertThat(ask("POST", base, "/done")).isEqualTo("done\n");
    serving.join();
  }

  @Test
  void shouldEndWhenNobodyComes() throws Exception {
    new Hold(directory).serve(new Address.Tcp("127.0.0.1", 0), 1, out);
    assertThat(said.toString(UTF_8)).contains("no client posted /done within 1 s");
  }
}
