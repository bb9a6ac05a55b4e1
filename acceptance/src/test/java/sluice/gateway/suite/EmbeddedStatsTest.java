package sluice.gateway.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.gateway.fixtures.RealMemcached;

/** What exporters read in the {@code stats} of an embedded store. */
class EmbeddedStatsTest {
  /** Parts of memcached that the store has none of: docs/reference/memcached.md. */
  private static final String WITHOUT =
      "libevent|connection_structures|response_obj_.*|read_buf_.*|reserved_fds|log_.*"
          + "|slab_reassign_(busy_nomem|last_busy_status|evictions_nomem)"
          + "|unexpected_napi_ids|round_robin_fallback";

  private static Map<String, String> stats(Conversation client) throws Exception {
    Map<String, String> stats = new LinkedHashMap<>();
    for (String line : client.ask("stats\r\nmn\r\n", "END\r\nMN\r\n").split("\r\n")) {
      String[] words = line.split(" ", 3);
      if (words[0].equals("STAT")) {
        assertThat(stats.put(words[1], words[2])).as(line).isNull();
      }
    }
    return stats;
  }

  @Test
  void shouldHaveTheLinesOfAMemcached() throws Exception {
    try (RealMemcached memcached = RealMemcached.start();
        InProcessGateway gateway = new InProcessGateway()) {
      gateway.start(Topology.embedded());
      try (Conversation real = new Conversation(memcached.address());
          Conversation client = new Conversation(gateway.address("cache"))) {
        Set<String> missing = new TreeSet<>(stats(real).keySet());
        missing.removeAll(stats(client).keySet());
        assertThat(missing).allSatisfy(name -> assertThat(name).matches(WITHOUT));
      }
    }
  }

  @Test
  void shouldTellOfClientsAndTheirBytes() throws Exception {
    try (InProcessGateway gateway = new InProcessGateway()) {
      gateway.start(
          "process: {eventLoops: 1}\n"
              + Topology.embedded()
                  .replace("route: cache", "limits: {connections: 3}, route: cache"));
      InetSocketAddress address = gateway.address("cache");
      try (Conversation one = new Conversation(address);
          Conversation two = new Conversation(address);
          Conversation three = new Conversation(address)) {
        two.ask("mn\r\n", "MN\r\n");
        three.ask("mn\r\n", "MN\r\n");
        Map<String, String> before = stats(one);
        assertThat(before)
            .containsEntry("max_connections", "3")
            .containsEntry("curr_connections", "3")
            .containsEntry("total_connections", "3")
            .containsEntry("rejected_connections", "0")
            .containsEntry("accepting_conns", "1");
        try (Conversation refused = new Conversation(address)) {
          assertThat(refused.hear(0, true).closed()).isTrue();
        }
        two.ask("set k 0 0 10000\r\n" + "x".repeat(10_000) + "\r\n", "STORED\r\n");
        two.ask("get k\r\nget k\r\nmn\r\n", "MN\r\n");
        Map<String, String> after = stats(one);
        assertThat(after)
            .containsEntry("total_connections", "3")
            .containsEntry("rejected_connections", "1");
        assertThat(grown(before, after, "bytes_read")).isBetween(10_000L, 11_000L);
        assertThat(grown(before, after, "bytes_written")).isBetween(20_000L, 30_000L);
        assertThat(after.get("rusage_user")).matches("[0-9]+\\.[0-9]{6}");
        one.ask("stats reset\r\n", "RESET\r\n");
        assertThat(stats(one))
            .containsEntry("curr_connections", "3")
            .containsEntry("total_connections", "0")
            .containsEntry("rejected_connections", "0");
      }
    }
  }

  @Test
  void shouldTellOfLogins(@TempDir Path directory) throws Exception {
    Path users = Files.writeString(directory.resolve("users"), "alice:secret\n");
    try (InProcessGateway gateway = new InProcessGateway()) {
      gateway.start(
          Topology.embedded()
              .replace("route: cache", "auth: {users: \"" + users + "\"}, route: cache"));
      try (Conversation client = new Conversation(gateway.address("cache"))) {
        client.ask("set a 0 0 11\r\nalice wrong\r\n", "authentication failure\r\n");
        client.ask("set a 0 0 12\r\nalice secret\r\n", "STORED\r\n");
        assertThat(stats(client)).containsEntry("auth_cmds", "2").containsEntry("auth_errors", "1");
      }
    }
  }

  private static long grown(Map<String, String> before, Map<String, String> after, String name) {
    return Long.parseLong(after.get(name)) - Long.parseLong(before.get(name));
  }
}
