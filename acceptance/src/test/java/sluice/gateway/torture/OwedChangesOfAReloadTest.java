package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.gateway.torture.Scenario.pool;
import static sluice.gateway.torture.Scenario.set;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import sluice.testkit.scripted.ScriptedServer;

/**
 * Changes that were acknowledged while a replica still owed its answer. After a reload, a later
 * change of the same client does not overtake them on another connection.
 */
class OwedChangesOfAReloadTest {
  private static final String RULE = "{replicate: {pools: [east, west], acks: one}}";

  @Test
  void shouldNotBeOvertakenByALaterChangeOfTheirClient() throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    ScriptedServer.Script late =
        request -> {
          if (request.line().equals("set k 0 0 5")) {
            assertThat(released.await(30, TimeUnit.SECONDS)).isTrue();
          }
          ScriptedServer.behave(request);
        };
    try (Scenario scenario = new Scenario()) {
      ScriptedServer east = scenario.scripted(late);
      ScriptedServer west = scenario.scripted(ScriptedServer::behave);
      String before = pool("east", "", east.address()).replace("timeout: 10s", "timeout: 20s");
      String after = pool("east", "", east.address()).replace("timeout: 10s", "timeout: 21s");
      scenario.gateway(RULE, before, pool("west", "", west.address()));
      RawClient client = scenario.client();
      assertThat(set(client, "k", "first")).isEqualTo("STORED");
      scenario.reload(RULE, after, pool("west", "", west.address()));
      client.send("set k 0 0 6\r\nsecond\r\n");
      RawClient other = scenario.client();
      for (int i = 0; i < 100; i++) { // it is served on another connection meanwhile
        assertThat(set(other, "l" + i, "v")).isEqualTo("STORED");
      }
      Scenario.becomes(() -> east.lines().contains("set l99 0 0 1"));
      assertThat(east.lines()).doesNotContain("set k 0 0 6");
      released.countDown();
      assertThat(client.line()).isEqualTo("STORED");
      Scenario.becomes(() -> east.lines().contains("set k 0 0 6"));
    }
  }
}
