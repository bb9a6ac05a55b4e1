package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.gateway.torture.Scenario.pool;
import static sluice.gateway.torture.Scenario.set;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import sluice.testkit.scripted.ScriptedServer;

/** Keys that a reload moves to another server while a read of the configuration before goes on. */
class MovedKeysTest {
  private static final String RULE = "{pool: main, nearCache: {size: 4MiB, ttl: 1h}}";
  private static final int KEYS = 5000;

  private static String timeouts(String pool) {
    return pool.replace("timeout: 10s", "timeout: 20s");
  }

  /**
   * A long read is sent in parts. Its last part goes to the server of before, and brings the value
   * of before.
   */
  @Test
  void shouldNotBeCachedWithTheOldServersValueBehindAChangeOnTheNewOne() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    ScriptedServer.Script old =
        request -> {
          asked.countDown();
          assertThat(released.await(30, TimeUnit.SECONDS)).isTrue();
          if (request.line().startsWith("get")) {
            StringBuilder values = new StringBuilder();
            for (String key : request.line().replaceFirst("gets? ", "").split(" ")) {
              values.append("VALUE ").append(key).append(" 0 3 7\r\nold\r\n"); // as gets has it
            }
            request.reply(values + "END\r\n");
          }
        };
    try (Scenario scenario = new Scenario()) {
      ScriptedServer before = scenario.scripted(old);
      scenario.gateway(RULE, timeouts(pool("main", "", before.address())));
      RawClient reader = scenario.client();
      StringBuilder read = new StringBuilder("get");
      for (int i = 0; i < KEYS; i++) {
        read.append(" key").append(i);
      }
      reader.send(read + "\r\n");
      assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();

      String last = "key" + (KEYS - 1);
      scenario.reload(RULE, pool("main", "", scenario.memcached().address()));
      RawClient client = scenario.client();
      assertThat(set(client, last, "new")).isEqualTo("STORED");
      released.countDown();
      for (String line = reader.line(); !line.equals("END"); line = reader.line()) {
        assertThat(line).doesNotContain("ERROR");
      }
      assertThat(before.lines().toString()).contains(" " + last); // it was asked for it
      assertThat(Scenario.get(client, last)).isEqualTo("new");
    }
  }
}
