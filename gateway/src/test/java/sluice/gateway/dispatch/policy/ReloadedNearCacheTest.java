package sluice.gateway.dispatch.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.gateway.dispatch.policy.SocketlessServer.found;

import org.junit.jupiter.api.Test;

/** Near caches that a reload brings, and changes that began before it. */
class ReloadedNearCacheTest {
  private static final String NEAR = "nearCache: {size: 1MiB, ttl: 1h}";
  private static final String SERVERS = ": servers: [\"s:1\"]";

  private static void reads(SocketlessClient client, SocketlessServer server, String value) {
    client.sends("get k\r\n");
    assertThat(server.asked()).isEqualTo("gets k\r\n");
    server.answers("VALUE k 0 " + value.length() + " 7\r\n" + value + "\r\nEND\r\n");
    assertThat(client.told()).isEqualTo(found("k", value));
  }

  /** Requests were sent with its times before the reload, and may be carried out so much later. */
  @Test
  void shouldKeepNothingForAsLongAsAFormerPoolsRequestsMayLast() {
    ScriptedPools pools =
        new ScriptedPools("{pool: former}", "former" + SERVERS + ", queueTimeout: 60s");
    try {
      SocketlessServer server = pools.server("s");
      pools.reload("{pool: latter, " + NEAR + "}", "latter" + SERVERS);
      SocketlessClient client = pools.client();
      pools.pass(30_000);
      reads(client, server, "old");
      reads(client, server, "new");
      pools.pass(200_000); // much more, because the cache has the time of the system
      reads(client, server, "new");
      client.sends("get k\r\n");
      assertThat(client.told()).isEqualTo(found("k", "new"));
      assertThat(server.asked()).isEmpty();
    } finally {
      pools.close();
    }
  }

  /** The caches in use are those of the former configuration, where the pool has another name. */
  @Test
  void shouldDropWhatIsChangedThroughAListenerThatAReloadHasJustOpened() {
    String writes = "{match: {commands: [set]}, pool: ";
    String reads = "}, {pool: read, " + NEAR + "}";
    ScriptedPools pools =
        new ScriptedPools(writes + "former" + reads, "former" + SERVERS, "read" + SERVERS);
    try {
      SocketlessServer server = pools.server("s");
      SocketlessClient client = pools.client();
      reads(client, server, "old");
      client.sends("get k\r\n");
      assertThat(client.told()).isEqualTo(found("k", "old"));
      SocketlessClient early =
          pools.clientOfNewListener(
              writes + "latter" + reads, "latter" + SERVERS, "read" + SERVERS);
      String set = "set k 0 0 3\r\nnew\r\n";
      early.sends(set);
      assertThat(server.asked()).isEqualTo(set);
      server.answers("STORED\r\n");
      assertThat(early.told()).isEqualTo("STORED\r\n");
      client.sends("get k\r\n");
      assertThat(client.told()).as("from the cache").isEmpty();
      assertThat(server.asked()).isEqualTo("gets k\r\n");
    } finally {
      pools.close();
    }
  }

  /** The pool of the upload has another name in the new configuration, and the same server. */
  @Test
  void shouldDropWhatAnUploadReplacesThatBeganBeforeTheReload() {
    ScriptedPools pools = new ScriptedPools("{pool: former}", "former" + SERVERS);
    try {
      SocketlessServer server = pools.server("s");
      SocketlessClient uploads = pools.client();
      uploads.sends("get k\r\n"); // over the older connection
      assertThat(server.asked()).isEqualTo("get k\r\n");
      server.answers("END\r\n");
      assertThat(uploads.told()).isEqualTo("END\r\n");
      String head = "set k 0 0 200\r\n";
      uploads.sends(head + "v".repeat(50));
      pools.reload("{pool: latter, " + NEAR + "}", "latter" + SERVERS);
      for (int i = 0; i < 100; i++) { // in all 40 s; the cache keeps replies after 30 s
        uploads.sends("v");
        pools.pass(400);
      }
      SocketlessClient client = pools.client();
      reads(client, server, "old");
      client.sends("get k\r\n");
      assertThat(client.told()).isEqualTo(found("k", "old"));
      assertThat(server.asked()).isEmpty();
      uploads.sends("v".repeat(50) + "\r\n");
      assertThat(server.asked()).isEqualTo(head + "v".repeat(200) + "\r\n");
      server.answersLate("STORED\r\n");
      assertThat(uploads.told()).isEqualTo("STORED\r\n");
      reads(client, server, "v".repeat(200));
    } finally {
      pools.close();
    }
  }
}
