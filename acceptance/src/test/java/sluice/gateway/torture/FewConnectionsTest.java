package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testkit.scripted.ScriptedServer;

/** Server that serves fewer connections than the gateway would make, as at its limit of them. */
class FewConnectionsTest {
  /** Serves the first connection, and does not answer on others. */
  private static void firstAlone(ScriptedServer.Request request) throws IOException {
    if (request.connection() == 1) {
      ScriptedServer.behave(request);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"perEventLoop: 2", "perEventLoop: 4", "max: 2"})
  void shouldServeAllClientsOverTheConnectionsThatItHas(String connections) throws Exception {
    try (ScriptedServer server = new ScriptedServer(FewConnectionsTest::firstAlone).versionToo();
        Scenario scenario = new Scenario()) {
      String pool =
          "main: {servers: [\"%s\"], timeout: 10s, queueTimeout: 10s, connections: {probeAfter: 100ms, connectTimeout: 1500ms, %s}}"
              .formatted(Scenario.name(server.address()), connections);
      scenario.gateway("{pool: main}", pool);
      List<RawClient> clients = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        clients.add(scenario.client());
      }
      for (RawClient client : clients) {
        Scenario.get(client, "k"); // finds out, at its cost, that there is no other connection
      }
      for (int round = 0; round < 20; round++) {
        for (RawClient client : clients) {
          assertThat(Scenario.get(client, "k")).isEqualTo("k");
        }
        TimeUnit.MILLISECONDS.sleep(round < 5 ? 150 : 20); // the connection is checked, or not
      }
      assertThat(scenario.is(server.address(), "up")).isTrue();
    }
  }
}
