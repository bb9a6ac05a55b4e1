package sluice.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lists of keys, which end at a limit, also for a client that asks for more. */
class DumpTest {
  private static final int MIB = 1024 * 1024;

  // One segment: the order of the items is that of their last use.
  private final EmbeddedStore store =
      new EmbeddedStore(
          15 * MIB,
          EmbeddedStore.DEFAULT_ITEM_SIZE_LIMIT,
          new FakeClock(),
          new UnpooledByteBufAllocator(true));
  private final Client client = new Client(store);

  @AfterEach
  void close() {
    store.close();
  }

  private void fill(int items, String prefix) {
    for (int i = 0; i < items; i++) {
      assertThat(client.send("set " + prefix + i + " 0 0 1\r\nv\r\n")).isEqualTo("STORED\r\n");
    }
  }

  private int slabClass(String key) {
    String debug = client.send("me " + key + "\r\n");
    return Integer.parseInt(debug.replaceAll("(?s).* cls=(\\d+) .*", "$1"));
  }

  @Test
  void shouldEndACachedumpAtTwoMebibytesAsMemcachedDoes() {
    String prefix = "k".repeat(240);
    fill(12_000, prefix);
    int slabClass = slabClass(prefix + 0);
    String all = client.send("stats cachedump " + slabClass + " 0\r\n");
    int line = ("ITEM " + prefix + 11_999 + " [1 b; 0 s]\r\n").length();
    assertThat(all.length()).isBetween(2 * MIB - line - 6, 2 * MIB - 1);
    assertThat(all).startsWith("ITEM " + prefix + "0 [1 b; 0 s]\r\n").endsWith(" s]\r\nEND\r\n");
    assertThat(client.send("stats cachedump " + slabClass + " 4000000000\r\n")).isEqualTo(all);
    assertThat(client.send("stats cachedump " + slabClass + " 2\r\n").lines()).hasSize(3);
  }

  @Test
  void shouldLookAtSoManyItemsForACachedumpAndNoMore() {
    fill(Dump.MAX_CACHEDUMP_STEPS - 1, "k");
    String longer = "x".repeat(100);
    client.send("set seen 0 0 100\r\n" + longer + "\r\nset unseen 0 0 100\r\n" + longer + "\r\n");
    assertThat(store.segmentCount()).isEqualTo(1);
    assertThat(client.send("stats cachedump " + slabClass("seen") + " 0\r\n"))
        .isEqualTo("ITEM seen [100 b; 0 s]\r\nEND\r\n");
  }

  @Test
  void shouldLeaveKeysInBase64OutOfACachedump() {
    client.send("set k 0 0 1\r\nv\r\nms aw0KRU5EDQo= 1 b\r\nv\r\n");
    assertThat(client.send("stats cachedump " + slabClass("k") + " 0\r\n"))
        .isEqualTo("ITEM k [1 b; 0 s]\r\nEND\r\n");
  }

  @ParameterizedTest
  @CsvSource({
    "metadump, %, 22000",
    "mgdump, k, 70000",
  })
  void shouldTellThatADumpIsNotWhole(String command, String letter, int items) {
    String unfinished = "SERVER_ERROR the dump is longer than 16777216 bytes\r\n";
    try (EmbeddedStore large =
        new EmbeddedStore(
            48 * MIB,
            EmbeddedStore.DEFAULT_ITEM_SIZE_LIMIT,
            new FakeClock(),
            new UnpooledByteBufAllocator(true))) {
      Client reader = new Client(large);
      reader.send("set k 0 0 1\r\nv\r\n");
      assertThat(reader.send("lru_crawler " + command + " all\r\n"))
          .endsWith("\r\n")
          .doesNotContain(unfinished);
      for (int i = 0; i < items; i++) {
        reader.send("set " + letter.repeat(240) + i + " 0 0 1\r\nv\r\n");
      }
      String dump = reader.send("lru_crawler " + command + " all\r\n");
      assertThat(dump).startsWith("OK\r\n").endsWith(unfinished);
      String found = dump.substring(4, dump.length() - unfinished.length());
      assertThat(found.length()).isBetween(16 * MIB - 1000, 16 * MIB);
      assertThat(found).endsWith("\n");
    }
  }
}
