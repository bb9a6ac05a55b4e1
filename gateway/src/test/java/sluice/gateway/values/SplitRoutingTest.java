package sluice.gateway.values;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.gateway.values.Noise.noise;
import static sluice.gateway.values.Talk.found;
import static sluice.gateway.values.Talk.set;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import sluice.gateway.fixtures.Admin;

/** Values in chunks where the rule and the pool do more than send them to their servers. */
class SplitRoutingTest {
  private static final int CHUNK = 64 << 10;
  private static final String RULE = ", split: 64KiB";

  @Test
  void shouldMoveAllChunksOfAValueWithItsKey() throws Exception {
    String rule = RULE + ", migrate: {to: other, percent: 50%}";
    try (SplitPool pool = new SplitPool(2, rule, "dialect: same")) {
      Talk client = pool.client();
      int moved = 0;
      for (int i = 0; i < 20; i++) {
        String value = noise(i, 3 * CHUNK + 1 + i);
        client.expect(set("k" + i + "x", i, value), "STORED\r\n");
        List<SplitPool.Placed> chunks = pool.find("k" + i + "x", 5); // and the head
        long inOther = chunks.stream().filter(chunk -> chunk.server() == 2).count();
        assertThat(inOther).isIn(0L, 5L);
        moved += inOther == 5 ? 1 : 0;
        client.expect("get k" + i + "x\r\n", found("k" + i + "x", i, value));
      }
      assertThat(moved).isBetween(1, 19);
      pool.shouldHoldNothing();
    }
  }

  @Test
  void shouldPlaceChunksBesideAServerThatIsOut() throws Exception {
    String health = "health: {failures: 2, probe: 100ms, ejectFor: 10s..20s, maxEjected: 50%}";
    try (SplitPool pool = new SplitPool(3, RULE, health)) {
      Talk client = pool.client();
      String value = noise(1, SplitPool.MANY * CHUNK);
      client.expect(set("k", 1, value), "STORED\r\n");
      pool.shouldBeSpread("k", 3);
      pool.kill(1);
      String line = "";
      for (int i = 0; i < 400 && !line.equals("STORED"); i++) {
        line = client.line(set("k", 2, value)); // its server's failures are counted
        TimeUnit.MILLISECONDS.sleep(20);
      }
      assertThat(line).isEqualTo("STORED");
      client.expect("get k\r\n", found("k", 2, value));
      client.expect("gat 1000 k\r\n", found("k", 2, value));
      client.expect("delete k\r\nget k\r\n", "DELETED\r\nEND\r\n");
      pool.shouldHoldNothing();
    }
  }

  /** A server that is ejected keeps its chunks: a read meanwhile must not lose the value. */
  @Test
  void shouldFindAValueAgainWhenAServerIsRestored() throws Exception {
    String health = "health: {failures: 1000, maxEjected: 50%}";
    try (SplitPool pool = new SplitPool(3, RULE, health)) {
      Talk client = pool.client();
      String value = noise(1, SplitPool.MANY * CHUNK);
      client.expect(set("k", 1, value), "STORED\r\n");
      pool.shouldBeSpread("k", 3);
      int ofHead =
          pool.find("k", SplitPool.MANY + 1).stream()
              .filter(item -> item.key().equals("k"))
              .findFirst()
              .orElseThrow()
              .server();
      String other = pool.name((ofHead + 1) % 3);
      decide(pool, "eject", other);
      client.expect("get k\r\n", "END\r\n");
      client.expect("get k\r\n", "END\r\n");
      decide(pool, "restore", other);
      client.expect("get k\r\n", found("k", 1, value));
      pool.shouldHoldNothing();
    }
  }

  private static void decide(SplitPool pool, String what, String server) {
    String path = "/" + what + "?pool=cache&server=" + server;
    assertThat(Admin.post(pool.gateway(), path).statusCode()).isEqualTo(200);
  }

  /** Values that are being put together hold memory, and need more of it to be whole. */
  @Test
  void shouldServeMoreAtOnceThanTheMemoryHolds() throws Exception {
    int clients = 40;
    int length = 5 << 20;
    String value = noise(1, length);
    try (SplitPool pool = new SplitPool(3, ", split: 900KiB", "dialect: same")) {
      pool.client().expect(set("all", 1, value), "STORED\r\n");
      ExecutorService threads = Executors.newFixedThreadPool(clients);
      List<CompletableFuture<Void>> running = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        Talk client = pool.client();
        String key = "k" + i % 4;
        running.add(
            CompletableFuture.runAsync(
                () -> {
                  try {
                    client.expect("get all\r\n", found("all", 1, value));
                    client.expect(set(key, 3, value), "STORED\r\n");
                    client.expect("get all\r\n", found("all", 1, value));
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                },
                threads));
      }
      running.forEach(CompletableFuture::join);
      threads.shutdown();
      pool.shouldHoldNothing();
    }
  }
}
