package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.fixtures.RealMemcached;
import sluice.gateway.fixtures.SideBySide;

/** A client that always has sent the beginning of its next request sees reloads like any other. */
class NeverBetweenRequestsTest {
  private static final String STORE = "store: {protocol: embedded, size: 16MiB}";

  private final Scenario scenario = new Scenario();

  @AfterEach
  void end() {
    scenario.close();
  }

  @Test
  void shouldSeeAReloadBeforeAStore() throws IOException, TimeoutException {
    scenario.gateway("{pool: store}", STORE);
    shouldSeeAReload(STORE);
  }

  @Test
  void shouldSeeAReloadBeforeAServer() throws IOException, TimeoutException {
    RealMemcached server = scenario.memcached();
    String pool = Scenario.pool("store", "", server.address());
    scenario.gateway("{pool: store}", pool);
    shouldSeeAReload(pool);
  }

  private void shouldSeeAReload(String pool) throws IOException, TimeoutException {
    RawClient client = scenario.client();
    assertThat(client.ask("get k\r\ng")).isEqualTo("END");
    assertThat(client.ask("et k\r\ng")).isEqualTo("END");
    scenario.reload("{reject: no longer}", pool);
    // The request that had begun may be either's.
    assertThat(client.ask("et k\r\ng")).isIn("END", "SERVER_ERROR no longer");
    assertThat(client.ask("et k\r\ng")).isEqualTo("SERVER_ERROR no longer");
    assertThat(client.ask("et k\r\n")).isEqualTo("SERVER_ERROR no longer");
  }

  @TestFactory
  List<DynamicTest> shouldLeaveAfterItsMaximumAge() {
    return new SideBySide()
        .add("one request at a time", () -> shouldLeaveAfterItsMaximumAge(1))
        .add("two requests at a time", () -> shouldLeaveAfterItsMaximumAge(2))
        .tests(2, Duration.ofMinutes(4));
  }

  private static void shouldLeaveAfterItsMaximumAge(int each) throws Exception {
    try (RealMemcached server = RealMemcached.start();
        RunningGateway gateway = RunningGateway.of(ofMaximumAge(server));
        RawClient client = new RawClient(gateway.address())) {
      String more = "et k\r\n" + "get k\r\n".repeat(each - 1) + "g";
      client.send("get k\r\ng");
      assertThat(client.line()).isEqualTo("END");
      String line = "END";
      long until = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
      while (!line.isEmpty() && System.nanoTime() - until < 0) {
        line = next(client, more);
        for (int i = 1; i < each && !line.isEmpty(); i++) {
          assertThat(line).isEqualTo("END");
          line = client.line(); // what was sent as a whole is answered as a whole
        }
      }
      assertThat(line).isEmpty();
    }
  }

  private static String ofMaximumAge(RealMemcached server) {
    return Scenario.yaml("{pool: store}", Scenario.pool("store", "", server.address()))
        .replace("route: cache}", "route: cache, limits: {maxAge: 1s}}");
  }

  /** A line of the reply; empty at the end. */
  private static String next(RawClient client, String request) {
    try {
      return client.send(request).lineOrEnd();
    } catch (IOException closed) {
      return "";
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 64, 1_000})
  void shouldSeeAReloadWithinARead(int requests) throws IOException, TimeoutException {
    RealMemcached server = scenario.memcached();
    String pool = Scenario.pool("store", "", server.address());
    scenario.gateway("{pool: store}", pool);
    RawClient client = scenario.client();
    assertThat(client.ask("get k\r\ng")).isEqualTo("END");
    scenario.reload("{reject: no longer}", pool);
    client.send("et k\r\ng".repeat(requests));
    assertThat(client.line()).isIn("END", "SERVER_ERROR no longer");
    for (int i = 1; i < requests; i++) {
      assertThat(client.line()).isEqualTo("SERVER_ERROR no longer");
    }
  }
}
