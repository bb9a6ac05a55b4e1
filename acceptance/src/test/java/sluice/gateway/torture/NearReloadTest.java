package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.gateway.fixtures.RealMemcached;
import sluice.testkit.scripted.ScriptedServer;

/**
 * A client that waits for another client's read while a reload moves the key to another pool: the
 * answer of the former pool is none for it.
 */
class NearReloadTest {
  private static final String NEAR = "nearCache: {size: 4MiB, ttl: 1h}";

  private final Scenario scenario = new Scenario();
  private final CountDownLatch goesOn = new CountDownLatch(1);

  @AfterEach
  void close() {
    goesOn.countDown();
    scenario.close();
  }

  @Test
  void shouldAskTheNewPool() throws Exception {
    ScriptedServer former =
        scenario.scripted(
            request -> {
              goesOn.await();
              request.reply("END\r\n");
            });
    RealMemcached latter = scenario.memcached();
    assertThat(Scenario.set(scenario.client(latter.address()), "k", "there")).isEqualTo("STORED");
    String[] pools = {
      Scenario.pool("a", "", former.address()).replace("timeout: 10s,", "timeout: 60s,"),
      Scenario.pool("b", "", latter.address())
    };
    scenario.gateway("{pool: a, " + NEAR + "}", pools);
    RawClient first = scenario.client();
    first.send("get k\r\n");
    Scenario.becomes(() -> former.lines().size() == 1);
    RawClient second = scenario.client();
    assertThat(second.send("mn\r\nget k\r\n").line()).isEqualTo("MN"); // the read waits from now on

    scenario.reload("{pool: b, " + NEAR + "}", pools);
    assertThat(second.line()).isEqualTo("VALUE k 0 5");
    assertThat(second.line()).isEqualTo("there");
    assertThat(second.line()).isEqualTo("END");
    assertThat(former.lines()).hasSize(1);

    goesOn.countDown();
    assertThat(first.line()).isEqualTo("END");
    assertThat(Scenario.get(second, "k")).isEqualTo("there");
    assertThat(Scenario.get(first, "k")).isEqualTo("there");
  }
}
