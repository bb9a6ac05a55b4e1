package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import sluice.testkit.scripted.ScriptedServer;

/**
 * {@code version} over two servers, of which one does not reply now. Clients use it as a probe, and
 * so does a gateway in front of this one. No timeout ends within a test.
 */
class LowestVersionTest {
  private static final String POOL =
      "main: {servers: [\"%s\", \"%s\"], timeout: 60s, queueTimeout: 60s,"
          + " connections: {probeAfter: 1h, connectTimeout: 60s}}";

  private static final int IN_FLIGHT = 1024; // the default of limits.inFlight

  private final Scenario scenario = new Scenario();
  private final CountDownLatch released = new CountDownLatch(1);
  private volatile boolean holding;
  private ScriptedServer slow;
  private ScriptedServer other;
  private RawClient client;

  @BeforeEach
  void start() throws IOException {
    slow = scenario.scripted(this::hold);
    other = scenario.scripted(ScriptedServer::behave);
  }

  @AfterEach
  void end() {
    released.countDown();
    scenario.close();
  }

  private void hold(ScriptedServer.Request request) throws IOException, InterruptedException {
    if (holding) {
      assertThat(released.await(60, TimeUnit.SECONDS)).isTrue();
    }
    ScriptedServer.behave(request);
  }

  private void gateway() throws IOException {
    scenario.gateway(
        "{pool: main}",
        POOL.formatted(Scenario.name(slow.address()), Scenario.name(other.address())));
    client = scenario.client();
    assertThat(client.ask("version\r\n")).startsWith("VERSION ");
  }

  /** A key of the slow server. */
  private String key() throws IOException {
    for (int i = 0; ; i++) {
      String key = "k" + i;
      assertThat(Scenario.get(client, key)).isEqualTo(key);
      if (slow.lines().contains("get " + key)) {
        return key;
      }
    }
  }

  /** The slow server replies to nothing, and a client waits for it; returns that client. */
  private RawClient stall(String key) throws IOException {
    holding = true;
    int before = slow.lines().size();
    RawClient waiting = scenario.client().send("get " + key + "\r\n");
    Scenario.becomes(() -> slow.lines().size() > before);
    return waiting;
  }

  @Test
  void shouldNotWaitForAServerThatCannotLowerTheVersion() throws Exception {
    other.version("1.6.17");
    gateway();
    String key = key();
    RawClient waiting = stall(key);
    assertThat(client.ask("version\r\n")).isEqualTo("VERSION 1.6.17");
    client.send("version\r\nmn\r\nget " + key + "\r\nversion\r\n");
    assertThat(client.line()).isEqualTo("VERSION 1.6.17");
    assertThat(client.line()).isEqualTo("MN");
    released.countDown();
    for (RawClient each : new RawClient[] {waiting, client}) {
      assertThat(each.line()).isEqualTo("VALUE " + key + " 0 " + key.length());
      assertThat(each.line()).isEqualTo(key);
      assertThat(each.line()).isEqualTo("END");
    }
    assertThat(client.line()).isEqualTo("VERSION 1.6.17");
    assertThat(client.ask("set " + key + " 0 0 1\r\nx\r\n")).isEqualTo("STORED");
  }

  @Test
  void shouldWaitForTheServerThatReportedTheLowestVersion() throws Exception {
    other.version("1.6.45");
    gateway();
    stall(key());
    client.send("version\r\n");
    assertThat(client.isSilentFor(Duration.ofMillis(200))).isTrue();
    released.countDown();
    assertThat(client.line()).isEqualTo("VERSION 1.6.18");
  }

  /** The requests that the slow server has not answered count as in flight. */
  @Test
  void shouldNotSendTheSlowServerMoreThanAClientMayHaveInFlight() throws Exception {
    gateway();
    RawClient waiting = stall(key());
    int sent = 4 * IN_FLIGHT;
    client.send("version\r\n".repeat(sent));
    assertThat(client.line()).isEqualTo("VERSION 1.6.18");
    int answered = 1;
    while (!client.isSilentFor(Duration.ofSeconds(3))) {
      assertThat(client.line()).isEqualTo("ERSION 1.6.18"); // its first byte has been read
      answered++;
    }
    assertThat(answered).isLessThanOrEqualTo(IN_FLIGHT);
    released.countDown();
    for (; answered < sent; answered++) {
      assertThat(client.line()).isEqualTo("VERSION 1.6.18");
    }
    assertThat(waiting.line()).startsWith("VALUE ");
  }
}
