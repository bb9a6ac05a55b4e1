package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.gateway.torture.Scenario.get;
import static sluice.gateway.torture.Scenario.pool;
import static sluice.gateway.torture.Scenario.set;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import sluice.gateway.fixtures.RealMemcached;

/**
 * The scenarios of mcrouter's tests of shadowing that {@link SeveralPoolsTest} has not; which is
 * which stands in docs/how-to/importing.md.
 */
class ShadowScenariosTest {
  private static final int KEYS = 50;

  /** Its connection is made when the first request wants it, and nobody waits for that. */
  private static void isThere(RawClient client, String key, RawClient shadow) {
    Scenario.becomes(
        () -> {
          assertThat(set(client, key, "x")).isEqualTo("STORED");
          return get(shadow, key).equals("x");
        });
  }

  /** One that is not asked whether it is there: nothing would be copied until it has answered. */
  private static String shadow(RealMemcached server) {
    return pool("shadow", "", server.address()).replace("probeAfter: 100ms", "probeAfter: 1h");
  }

  private static boolean has(RawClient server, String key, String value) throws IOException {
    return get(server, key).equals(value);
  }

  @Test
  void shouldCopyWhatItsRuleSaysAndNothingElse() throws Exception {
    try (Scenario scenario = new Scenario()) {
      RealMemcached main = scenario.memcached();
      RealMemcached shadow = scenario.memcached();
      scenario.gateway(
          "{match: {prefix: \"copied:\"}, pool: main, shadow: {pool: shadow}}, {pool: main}",
          pool("main", "", main.address()),
          shadow(shadow));
      RawClient client = scenario.client();
      RawClient copies = scenario.client(shadow.address());
      isThere(client, "copied:first", copies);
      for (int i = 0; i < KEYS; i++) {
        assertThat(set(client, "copied:" + i, "v" + i)).isEqualTo("STORED");
        assertThat(set(client, "alone:" + i, "v" + i)).isEqualTo("STORED");
      }
      Scenario.becomes(() -> has(copies, "copied:" + (KEYS - 1), "v" + (KEYS - 1)));
      RawClient direct = scenario.client(main.address());
      for (int i = 0; i < KEYS; i++) {
        assertThat(get(copies, "copied:" + i)).isEqualTo("v" + i);
        assertThat(get(copies, "alone:" + i)).isEqualTo("END");
        assertThat(get(direct, "copied:" + i)).isEqualTo("v" + i);
        assertThat(get(direct, "alone:" + i)).isEqualTo("v" + i);
      }
    }
  }

  @Test
  void shouldCopyWhatHasMovedAndWhatHasNot() throws Exception {
    try (Scenario scenario = new Scenario()) {
      RealMemcached old = scenario.memcached();
      RealMemcached larger = scenario.memcached();
      RealMemcached shadow = scenario.memcached();
      scenario.gateway(
          "{pool: old, migrate: {to: new, percent: 50%}, shadow: {pool: shadow}}",
          pool("old", "", old.address()), pool("new", "", larger.address()), shadow(shadow));
      RawClient client = scenario.client();
      RawClient copies = scenario.client(shadow.address());
      isThere(client, "first", copies);
      for (int i = 0; i < KEYS; i++) {
        assertThat(set(client, "key" + i, "v" + i)).isEqualTo("STORED");
      }
      Scenario.becomes(() -> has(copies, "key" + (KEYS - 1), "v" + (KEYS - 1)));
      RawClient stayed = scenario.client(old.address());
      RawClient moved = scenario.client(larger.address());
      int there = 0;
      for (int i = 0; i < KEYS; i++) {
        assertThat(get(copies, "key" + i)).isEqualTo("v" + i);
        boolean isThere = has(moved, "key" + i, "v" + i);
        assertThat(has(stayed, "key" + i, "v" + i)).isNotEqualTo(isThere);
        there += isThere ? 1 : 0;
      }
      assertThat(there).isBetween(1, KEYS - 1);
    }
  }

  /** What mcrouter does with a runtime variable. */
  @Test
  void shouldCopyMoreOrLessAfterAReload() throws Exception {
    try (Scenario scenario = new Scenario()) {
      RealMemcached main = scenario.memcached();
      RealMemcached shadow = scenario.memcached();
      String[] pools = {pool("main", "", main.address()), shadow(shadow)};
      scenario.gateway("{pool: main, shadow: {pool: shadow}}", pools);
      RawClient client = scenario.client();
      RawClient copies = scenario.client(shadow.address());
      isThere(client, "first", copies);
      scenario.reload("{pool: main}", pools);
      for (int i = 0; i < KEYS; i++) {
        assertThat(set(client, "off" + i, "x")).isEqualTo("STORED");
      }
      scenario.reload("{pool: main, shadow: {pool: shadow, percent: 50%}}", pools);
      for (int i = 0; i < 4 * KEYS; i++) {
        assertThat(set(client, "half" + i, "x")).isEqualTo("STORED");
      }
      scenario.reload("{pool: main, shadow: {pool: shadow, percent: 100%}}", pools);
      isThere(client, "last", copies); // behind all others
      int half = 0;
      for (int i = 0; i < 4 * KEYS; i++) {
        half += has(copies, "half" + i, "x") ? 1 : 0;
      }
      assertThat(half).isBetween(KEYS, 3 * KEYS); // of 200 with a deviation of 7
      for (int i = 0; i < KEYS; i++) {
        assertThat(get(copies, "off" + i)).isEqualTo("END");
      }
    }
  }

  @Test
  void shouldServeClientsWhoseShadowIsDead() throws Exception {
    try (Scenario scenario = new Scenario()) {
      RealMemcached main = scenario.memcached();
      RealMemcached shadow = scenario.memcached();
      scenario.gateway(
          "{pool: main, shadow: {pool: shadow}}",
          pool("main", "", main.address()),
          pool("shadow", "", shadow.address()));
      RawClient client = scenario.client();
      isThere(client, "first", scenario.client(shadow.address()));
      shadow.close();
      for (int i = 0; i < KEYS; i++) {
        assertThat(set(client, "key" + i, "v" + i)).isEqualTo("STORED");
        assertThat(get(client, "key" + i)).isEqualTo("v" + i);
      }
      scenario.becomes(shadow.address(), "down");
      assertThat(set(client, "last", "x")).isEqualTo("STORED");
      Scenario.becomes(() -> scenario.metric("sluice_shadow_requests_total", "skipped") > 0);
    }
  }
}
