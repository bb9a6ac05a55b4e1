package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.gateway.torture.Scenario.get;
import static sluice.gateway.torture.Scenario.pool;
import static sluice.gateway.torture.Scenario.set;
import static sluice.gateway.torture.Scenario.timeToLive;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import sluice.gateway.fixtures.RealMemcached;
import sluice.testkit.scripted.ScriptedServer;

/**
 * The scenarios of mcrouter's tests of its WarmUpRoute that {@link SeveralPoolsTest} has not; which
 * is which stands in docs/how-to/importing.md.
 */
class WarmUpScenariosTest {
  private static final String RULE = "{warmUp: {cold: cold, warm: warm}}";

  private static void start(Scenario scenario, RealMemcached cold, RealMemcached warm) {
    scenario.gateway(RULE, pool("cold", "", cold.address()), pool("warm", "", warm.address()));
  }

  @Test
  void shouldLeaveTheWarmPoolAloneWhereTheColdOneHasTheItem() throws Exception {
    try (Scenario scenario = new Scenario()) {
      RealMemcached cold = scenario.memcached();
      RealMemcached warm = scenario.memcached();
      start(scenario, cold, warm);
      RawClient client = scenario.client();
      RawClient warmly = scenario.client(warm.address());
      assertThat(set(warmly, "k", "old")).isEqualTo("STORED");
      assertThat(set(client, "k", "new")).isEqualTo("STORED");
      long asked = scenario.counted(warm, "cmd_get");
      for (int i = 0; i < 5; i++) {
        assertThat(get(client, "k")).isEqualTo("new");
        assertThat(client.ask("mg k v\r\n")).isEqualTo("VA 3");
        assertThat(client.line()).isEqualTo("new");
      }
      assertThat(scenario.counted(warm, "cmd_get")).isEqualTo(asked);
      assertThat(get(warmly, "k")).isEqualTo("old");
    }
  }

  /** Readers of the cold pool rewrite its values, so it must have them as they are stored. */
  @Test
  void shouldFillWithTheBytesThatAreStored() throws Exception {
    String rewritten = "values: {plain: kafkaHeaders, replace: [{find: ab, with: abab}]}";
    try (Scenario scenario = new Scenario()) {
      RealMemcached cold = scenario.memcached();
      RealMemcached warm = scenario.memcached();
      String compressed = "compression: {above: 64B}, ";
      scenario.gateway(
          RULE,
          pool("cold", rewritten, cold.address()),
          pool("warm", compressed + rewritten, warm.address()));
      RawClient client = scenario.client();
      RawClient warmly = scenario.client(warm.address());
      for (String value : new String[] {"\0\0ab", "\0\0" + "cab".repeat(100)}) {
        assertThat(set(warmly, "k", value)).isEqualTo("STORED");
        String read = value.substring(1).replace("ab", "abab");
        for (int i = 0; i < 3; i++) {
          assertThat(get(client, "k")).isEqualTo(read);
        }
        assertThat(get(scenario.client(cold.address()), "k")).isEqualTo(value);
        assertThat(client.ask("delete k\r\n")).isEqualTo("DELETED");
      }
    }
  }

  /** A value over the limit takes the old one with it, in both pools, and costs nobody else. */
  @Test
  void shouldAnswerBehindAValueThatIsTooLarge() throws Exception {
    try (Scenario scenario = new Scenario()) {
      RealMemcached cold = scenario.memcached();
      RealMemcached warm = scenario.memcached();
      scenario.gateway(RULE, pool("cold", "", cold.address()), pool("warm", "", warm.address()));
      RawClient client = scenario.client();
      RawClient warmly = scenario.client(warm.address());
      String large = "x".repeat(1024 * 1024 + 1);
      for (String request : new String[] {"set k 0 0 %d\r\n%s\r\n", "ms k %d\r\n%s\r\n"}) {
        assertThat(set(warmly, "k", "old")).isEqualTo("STORED");
        assertThat(set(client, "k", "old")).isEqualTo("STORED");
        assertThat(client.ask(request.formatted(large.length(), large)))
            .isEqualTo("SERVER_ERROR object too large for cache");
        assertThat(get(client, "k")).isEqualTo("END");
        assertThat(get(warmly, "k")).isEqualTo("END");
      }
    }
  }

  /** Filled once, it stays when the warm pool loses the item, and goes when the cold one does. */
  @Test
  void shouldKeepWhatItWasFilledWith() throws Exception {
    try (Scenario scenario = new Scenario()) {
      RealMemcached cold = scenario.memcached();
      RealMemcached warm = scenario.memcached();
      start(scenario, cold, warm);
      RawClient client = scenario.client();
      RawClient warmly = scenario.client(warm.address());
      assertThat(warmly.ask("set k 0 1000 5\r\nvalue\r\n")).isEqualTo("STORED");
      assertThat(timeToLive(client, "k")).isBetween(985L, 1000L);
      assertThat(warmly.ask("delete k\r\n")).isEqualTo("DELETED");
      assertThat(get(client, "k")).isEqualTo("value");
      assertThat(timeToLive(client, "k")).isBetween(985L, 1000L);
      assertThat(scenario.client(cold.address()).ask("delete k\r\n")).isEqualTo("DELETED");
      assertThat(get(client, "k")).isEqualTo("END");
    }
  }

  /** What is said as seconds from now ends at 30 days: more would be a day of 1970. */
  @Test
  void shouldFillWhatLivesForMoreThanThirtyDays() throws Exception {
    try (Scenario scenario = new Scenario()) {
      RealMemcached cold = scenario.memcached();
      RealMemcached warm = scenario.memcached();
      start(scenario, cold, warm);
      RawClient client = scenario.client();
      long day = TimeUnit.DAYS.toSeconds(1);
      long until = TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis()) + 40 * day;
      assertThat(scenario.client(warm.address()).ask("set k 0 " + until + " 5\r\nvalue\r\n"))
          .isEqualTo("STORED");
      assertThat(get(client, "k")).isEqualTo("value");
      String left = scenario.client(cold.address()).ask("mg k t\r\n");
      assertThat(left).startsWith("HD t");
      assertThat(Long.parseLong(left.substring(4))).isBetween(39 * day, 40 * day + 15);
      assertThat(get(client, "k")).isEqualTo("value");
    }
  }

  /** A copy would be an item like any other, which nobody is told to write anew. */
  @Test
  void shouldFillNothingThatIsStaleOrYetToBeWritten() throws Exception {
    try (Scenario scenario = new Scenario()) {
      RealMemcached cold = scenario.memcached();
      RealMemcached warm = scenario.memcached();
      start(scenario, cold, warm);
      RawClient client = scenario.client();
      RawClient warmly = scenario.client(warm.address());
      assertThat(set(warmly, "stale", "old")).isEqualTo("STORED");
      assertThat(warmly.ask("md stale I T30\r\n")).isEqualTo("HD");
      assertThat(warmly.ask("mg begun N30 t\r\n")).isEqualTo("HD t30 W");
      for (String key : List.of("stale", "begun")) {
        assertThat(get(client, key)).isEqualTo("END");
        assertThat(client.ask("mg " + key + " v\r\n")).isEqualTo("EN");
        assertThat(get(scenario.client(cold.address()), key)).isEqualTo("END");
      }
    }
  }

  @Test
  void shouldAppendAndPrependInTheColdPoolAlone() throws Exception {
    try (Scenario scenario = new Scenario()) {
      RealMemcached cold = scenario.memcached();
      RealMemcached warm = scenario.memcached();
      start(scenario, cold, warm);
      RawClient client = scenario.client();
      RawClient warmly = scenario.client(warm.address());
      assertThat(set(warmly, "k", "value")).isEqualTo("STORED");
      assertThat(client.ask("append k 0 0 1\r\n!\r\n")).isEqualTo("NOT_STORED"); // it is cold
      assertThat(get(client, "k")).isEqualTo("value");
      assertThat(client.ask("append k 0 0 6\r\nsuffix\r\n")).isEqualTo("STORED");
      assertThat(client.ask("prepend k 0 0 6\r\nprefix\r\n")).isEqualTo("STORED");
      assertThat(get(client, "k")).isEqualTo("prefixvaluesuffix");
      assertThat(client.ask("touch k 0\r\n")).isEqualTo("TOUCHED");
      assertThat(client.ask("mg k t\r\n")).isEqualTo("HD t-1");
      assertThat(get(warmly, "k")).isEqualTo("value");
      assertThat(get(scenario.client(cold.address()), "k")).isEqualTo("prefixvaluesuffix");
    }
  }

  /** What somebody writes while the warm pool is asked is newer than what it has. */
  @Test
  void shouldFillNothingThatWasWrittenMeanwhile() throws Exception {
    try (Scenario scenario = new Scenario()) {
      RealMemcached cold = scenario.memcached();
      RawClient coldly = scenario.client(cold.address());
      ScriptedServer warm =
          scenario.scripted(
              request -> {
                assertThat(set(coldly, request.key(), "new")).isEqualTo("STORED");
                String flags =
                    request
                        .line()
                        .substring("mg k".length())
                        .replace(" v", "")
                        .replace(" t", " t-1");
                request.reply("VA 3" + flags.replace(" f", " f0") + "\r\nold\r\n");
              });
      scenario.gateway(RULE, pool("cold", "", cold.address()), pool("warm", "", warm.address()));
      RawClient client = scenario.client();
      assertThat(get(client, "k")).isEqualTo("new");
      assertThat(warm.lines()).hasSize(1);
      assertThat(get(coldly, "k")).isEqualTo("new");
      assertThat(get(client, "k")).isEqualTo("new");
      assertThat(warm.lines()).hasSize(1);
    }
  }
}
