package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.gateway.torture.Scenario.get;
import static sluice.gateway.torture.Scenario.pool;
import static sluice.gateway.torture.Scenario.set;
import static sluice.gateway.torture.Scenario.timeToLive;

import org.junit.jupiter.api.Test;
import sluice.gateway.fixtures.RealMemcached;
import sluice.testkit.scripted.ScriptedServer;

/**
 * The scenarios of mcrouter's tests of failover that {@link FailoverTest} has not; which is which
 * stands in docs/how-to/importing.md.
 */
class FailoverScenariosTest {
  @Test
  void shouldLeaveTheOthersAloneWhileTheFirstTakesRequests() throws Exception {
    try (Scenario scenario = new Scenario()) {
      RealMemcached main = scenario.memcached();
      RealMemcached gutter = scenario.memcached();
      scenario.gateway(
          "{pool: main, failover: {pools: [gutter], maxTtl: 3s}}",
          pool("main", "", main.address()),
          pool("gutter", "", gutter.address()));
      RawClient client = scenario.client();
      assertThat(get(client, "k")).isEqualTo("END"); // a miss is an answer
      assertThat(client.ask("set k 0 100 1\r\na\r\n")).isEqualTo("STORED");
      assertThat(get(client, "k")).isEqualTo("a");
      assertThat(client.ask("delete missing\r\n")).isEqualTo("NOT_FOUND");
      assertThat(timeToLive(client, "k")).isBetween(85L, 100L); // not three
      assertThat(scenario.counted(gutter, "cmd_get")).isZero();
      assertThat(scenario.counted(gutter, "cmd_set")).isZero();
    }
  }

  @Test
  void shouldGoOnToTheThirdPoolWhenTwoAreDown() throws Exception {
    try (Scenario scenario = new Scenario()) {
      RealMemcached first = scenario.memcached();
      RealMemcached second = scenario.memcached();
      RealMemcached third = scenario.memcached();
      scenario.gateway(
          "{pool: a, failover: [b, c]}",
          pool("a", "", first.address()),
          pool("b", "", second.address()),
          pool("c", "", third.address()));
      RawClient client = scenario.client();
      assertThat(set(client, "k", "one")).isEqualTo("STORED");
      first.close();
      scenario.becomes(first.address(), "down");
      assertThat(get(client, "k")).isEqualTo("END");
      assertThat(set(client, "k", "two")).isEqualTo("STORED");
      assertThat(client.ask("delete k\r\n")).isEqualTo("DELETED");
      assertThat(client.ask("delete k\r\n")).isEqualTo("NOT_FOUND");
      assertThat(set(client, "k", "two")).isEqualTo("STORED");
      assertThat(scenario.counted(third, "cmd_set")).isZero();
      second.close();
      scenario.becomes(second.address(), "down");
      assertThat(get(client, "k")).isEqualTo("END");
      assertThat(set(client, "n", "3")).isEqualTo("STORED");
      assertThat(client.ask("incr n 4\r\n")).isEqualTo("7");
      assertThat(get(scenario.client(third.address()), "n")).isEqualTo("7");
    }
  }

  /** It might have been done, and another pool's answer would hide that it failed. */
  @Test
  void shouldTakeAServersErrorForItsAnswer() throws Exception {
    try (Scenario scenario = new Scenario()) {
      ScriptedServer full =
          scenario.scripted(request -> request.reply("SERVER_ERROR out of memory\r\n"));
      RealMemcached gutter = scenario.memcached();
      scenario.gateway(
          "{pool: main, failover: [gutter]}",
          pool("main", "", full.address()),
          pool("gutter", "", gutter.address()));
      RawClient client = scenario.client();
      RawClient direct = scenario.client(gutter.address());
      assertThat(set(direct, "k", "gutter's")).isEqualTo("STORED");
      for (int i = 0; i < 5; i++) {
        assertThat(set(client, "k", "new")).isEqualTo("SERVER_ERROR out of memory");
        assertThat(get(client, "k")).isEqualTo("SERVER_ERROR out of memory");
        assertThat(client.ask("delete k\r\n")).isEqualTo("SERVER_ERROR out of memory");
      }
      assertThat(get(direct, "k")).isEqualTo("gutter's");
      assertThat(scenario.is(full.address(), "up")).isTrue();
    }
  }

  @Test
  void shouldLetRulesSayWhichCommandsFailOver() throws Exception {
    try (Scenario scenario = new Scenario()) {
      RealMemcached main = scenario.memcached();
      RealMemcached gutter = scenario.memcached();
      scenario.gateway(
          "{match: {commands: [get, gets, mg]}, pool: main, failover: [gutter]}, {pool: main}",
          pool("main", "", main.address()),
          pool("gutter", "", gutter.address()));
      RawClient client = scenario.client();
      assertThat(set(client, "k", "main's")).isEqualTo("STORED");
      assertThat(set(scenario.client(gutter.address()), "k", "gutter's")).isEqualTo("STORED");
      assertThat(get(client, "k")).isEqualTo("main's");
      main.close();
      scenario.becomes(main.address(), "down");
      assertThat(get(client, "k")).isEqualTo("gutter's");
      assertThat(set(client, "k", "new")).startsWith("SERVER_ERROR ");
      assertThat(client.ask("delete k\r\n")).startsWith("SERVER_ERROR ");
      assertThat(get(client, "k")).isEqualTo("gutter's");
    }
  }

  @Test
  void shouldStoreNothingForANegativeTimeElsewhereEither() throws Exception {
    try (Scenario scenario = new Scenario()) {
      RealMemcached main = scenario.memcached();
      RealMemcached gutter = scenario.memcached();
      scenario.gateway(
          "{pool: main, failover: {pools: [gutter], maxTtl: 10s}}",
          pool("main", "", main.address()),
          pool("gutter", "", gutter.address()));
      RawClient client = scenario.client();
      assertThat(set(client, "k", "a")).isEqualTo("STORED");
      assertThat(client.ask("set k 0 -10 1\r\na\r\n")).isEqualTo("STORED");
      assertThat(get(client, "k")).isEqualTo("END");
      main.close();
      scenario.becomes(main.address(), "down");
      assertThat(set(client, "k", "b")).isEqualTo("STORED");
      assertThat(get(client, "k")).isEqualTo("b");
      assertThat(client.ask("set k 0 -10 1\r\nb\r\n")).isEqualTo("STORED");
      assertThat(get(client, "k")).isEqualTo("END");
    }
  }

  /** From the old pool to the new one, of which either may be down. */
  @Test
  void shouldFailOverFromBothPoolsOfAMigration() throws Exception {
    try (Scenario scenario = new Scenario()) {
      RealMemcached old = scenario.memcached();
      RealMemcached larger = scenario.memcached();
      RealMemcached gutter = scenario.memcached();
      String[] pools = {
        pool("old", "", old.address()),
        pool("new", "", larger.address()),
        pool("gutter", "", gutter.address())
      };
      for (RealMemcached each : new RealMemcached[] {old, larger, gutter}) {
        String value = each == old ? "old" : each == larger ? "new" : "gutter";
        assertThat(set(scenario.client(each.address()), "k", value)).isEqualTo("STORED");
      }
      String migrating = "{pool: old, migrate: {to: new, from: %s, until: %s}, failover: [gutter]}";
      scenario.gateway(migrating.formatted("2199-01-01T00:00:00Z", "2199-02-01T00:00:00Z"), pools);
      RawClient client = scenario.client();
      assertThat(get(client, "k")).isEqualTo("old");
      old.close();
      scenario.becomes(old.address(), "down");
      assertThat(get(client, "k")).isEqualTo("gutter");
      scenario.reload(migrating.formatted("2020-01-01T00:00:00Z", "2020-02-01T00:00:00Z"), pools);
      assertThat(get(client, "k")).isEqualTo("new");
      assertThat(set(client, "k", "newer")).isEqualTo("STORED");
      larger.close();
      scenario.becomes(larger.address(), "down");
      assertThat(get(client, "k")).isEqualTo("gutter");
    }
  }
}
