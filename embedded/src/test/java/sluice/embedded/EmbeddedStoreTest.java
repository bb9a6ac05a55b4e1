package sluice.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EmbeddedStoreTest {
  private static final long MIB = 1024 * 1024;

  private final FakeClock clock = new FakeClock();
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final List<EmbeddedStore> stores = new ArrayList<>();

  @AfterEach
  void shouldHaveGivenBackAllMemory() {
    stores.forEach(EmbeddedStore::close);
    assertThat(allocator.metric().usedDirectMemory()).isZero();
    assertThat(allocator.metric().usedHeapMemory()).isZero();
  }

  private EmbeddedStore store(long size) {
    EmbeddedStore store =
        new EmbeddedStore(size, EmbeddedStore.DEFAULT_ITEM_SIZE_LIMIT, clock, allocator);
    stores.add(store);
    return store;
  }

  private static String set(String key, String value) {
    return "set " + key + " 0 0 " + value.length() + "\r\n" + value + "\r\n";
  }

  private static String hit(String key, String value) {
    return "VALUE " + key + " 0 " + value.length() + "\r\n" + value + "\r\nEND\r\n";
  }

  private static long statistic(Client client, String name) {
    return client
        .send("stats\r\n")
        .lines()
        .filter(line -> line.startsWith("STAT " + name + " "))
        .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void shouldCountCasIdsFromTwoOnAFreshStore() {
    Client client = new Client(store(MIB));
    client.send(set("a", "1") + set("b", "2"));
    assertThat(client.send("mg a c\r\nmg b c\r\n")).isEqualTo("HD c2\r\nHD c3\r\n");
  }

  /** Checked against memcached 1.6.18 and 1.6.45. */
  @Test
  void shouldTellWhenAnItemWasUsedAsMemcachedDoes() {
    Client client = new Client(store(MIB));
    client.send(set("a", "1") + set("b", "2") + set("c", "3"));
    clock.advanceSeconds(2);
    assertThat(client.send("mg a l h t\r\nmg b l u\r\n")).isEqualTo("HD l2 h0 t-1\r\nHD l2\r\n");
    clock.advanceSeconds(2);
    assertThat(client.send("mg a l h t\r\nmg b l u\r\n")).isEqualTo("HD l4 h1 t-1\r\nHD l4\r\n");
    clock.advanceSeconds(2);
    assertThat(client.send("mg a l h\r\ngat 100 b\r\n")).isEqualTo("HD l2 h1\r\n" + hit("b", "2"));
    clock.advanceSeconds(2);
    assertThat(client.send("mg a l h\r\nmg b l t\r\n")).isEqualTo("HD l2 h1\r\nHD l8 t98\r\n");
    assertThat(client.send("incr c 1\r\nadd c 0 0 1\r\nx\r\nmg c l h\r\n"))
        .isEqualTo("4\r\nNOT_STORED\r\nHD l8 h0\r\n");
    clock.advanceSeconds(60);
    assertThat(client.send("incr c 1\r\nmg c l h\r\n")).isEqualTo("5\r\nHD l0 h1\r\n");
  }

  @Test
  void shouldEvictWhatWasUsedLongestAgoAndStayWithinItsSize() {
    Client client = new Client(store(4 * MIB));
    String value = "v".repeat(1000);
    client.send(set("kept", value));
    for (int i = 0; i < 20_000; i++) {
      assertThat(client.send(set("key" + i, value))).isEqualTo("STORED\r\n");
      if (i % 500 == 0) {
        assertThat(client.send("get kept\r\n")).isEqualTo(hit("kept", value));
      }
    }
    assertThat(client.send("get key0\r\n")).isEqualTo("END\r\n");
    assertThat(client.send("get key19999\r\n")).isEqualTo(hit("key19999", value));
    assertThat(statistic(client, "curr_items")).isBetween(3_000L, 4_000L);
    assertThat(statistic(client, "evictions")).isEqualTo(20_001 - statistic(client, "curr_items"));
    assertThat(allocator.metric().usedDirectMemory()).isLessThanOrEqualTo(4 * MIB);
  }

  @Test
  void shouldStoreALargeValueInTheRoomOfManySmallOnes() {
    Client client = new Client(store(4 * MIB));
    for (int i = 0; i < 60_000; i++) {
      client.send(set("key" + i, "value"));
    }
    String large = "0123456789".repeat(104_800);
    assertThat(client.send(set("large", large))).isEqualTo("STORED\r\n");
    assertThat(client.send("get large\r\n")).isEqualTo(hit("large", large));
    assertThat(client.send("get key59999\r\n")).isEqualTo(hit("key59999", "value"));
  }

  @Test
  void shouldTakeItemsUpToTheLimitAsMemcachedCountsThem() {
    Client client = new Client(store(8 * MIB));
    // 48 bytes of header, 8 of cas, the key and a NUL, CRLF; flags would be 4 more.
    int largest = (int) MIB - 48 - 8 - 2 - 2;
    assertThat(client.send(set("k", "x".repeat(largest)))).isEqualTo("STORED\r\n");
    assertThat(client.send(set("k", "x".repeat(largest + 1))))
        .isEqualTo("SERVER_ERROR object too large for cache\r\n");
    assertThat(client.send("get k\r\n")).isEqualTo("END\r\n");
    assertThat(client.send("set k 1 0 " + largest + "\r\n" + "x".repeat(largest) + "\r\n"))
        .isEqualTo("SERVER_ERROR object too large for cache\r\n");
  }

  @Test
  void shouldRefuseWhatASegmentCannotHoldAndGoOn() {
    Client client = new Client(store(MIB / 2));
    assertThat(client.send(set("k", "x".repeat(700_000))))
        .isEqualTo("SERVER_ERROR out of memory storing object\r\n");
    assertThat(client.send(set("k", "v") + "get k\r\n")).isEqualTo("STORED\r\n" + hit("k", "v"));
  }

  @Test
  void shouldLoseTheOldValueToNothingButASetWhenTheNewOneCannotBeHeld() {
    Client client = new Client(store(MIB));
    shouldLoseTheOldValueToNothingButASet(client);
    assertThat(statistic(client, "store_no_memory")).isEqualTo(4);
  }

  @Test
  void shouldDoTheSameWithoutDirectMemory() {
    ByteBufAllocator exhausted = new Exhausted(allocator, MIB / 2);
    try (EmbeddedStore store = new EmbeddedStore(15 * MIB, MIB, clock, exhausted)) {
      shouldLoseTheOldValueToNothingButASet(new Client(store));
    }
  }

  private static void shouldLoseTheOldValueToNothingButASet(Client client) {
    String large = " 0 0 800000%s\r\n" + "x".repeat(800_000) + "\r\n";
    String refused = "SERVER_ERROR out of memory storing object\r\n";
    client.send(set("k", "v") + set("other", "v"));
    String cas = client.send("mg k c\r\n").replaceAll("\\D", "");
    assertThat(client.send("replace k" + large.formatted(""))).isEqualTo(refused);
    assertThat(client.send("cas k" + large.formatted(" " + cas))).isEqualTo(refused);
    assertThat(client.send("add new" + large.formatted(""))).isEqualTo(refused);
    assertThat(client.send("get k\r\n")).isEqualTo(hit("k", "v"));
    assertThat(client.send("set k" + large.formatted(""))).isEqualTo(refused);
    assertThat(client.send("get k new other\r\n")).isEqualTo(hit("other", "v"));
  }

  @Test
  void shouldKeepTheOldValueWhenAnAppendDoesNotFit() {
    Client client = new Client(store(MIB));
    String half = "x".repeat(600_000);
    assertThat(client.send(set("k", half))).isEqualTo("STORED\r\n");
    assertThat(client.send("append k 0 0 300000\r\n" + "y".repeat(300_000) + "\r\n"))
        .isEqualTo("NOT_STORED\r\n");
    assertThat(client.send("get k\r\n")).isEqualTo(hit("k", half));
  }

  /** The new value alone would fit, but the old one is needed to make it. */
  @Test
  void shouldEvictNothingForAnAppendThatDoesNotFit() {
    Client client = new Client(store(MIB));
    String half = "x".repeat(400_000);
    client.send(set("other", "v") + set("k", half));
    assertThat(client.send("append k 0 0 200000\r\n" + "y".repeat(200_000) + "\r\n"))
        .isEqualTo("NOT_STORED\r\n");
    assertThat(client.send("get k\r\n")).isEqualTo(hit("k", half));
    assertThat(client.send("get other\r\n")).isEqualTo(hit("other", "v"));
  }

  /** As many pages as the process has left would hold the new value alone. */
  @Test
  void shouldEvictNothingForAnAppendThatDoesNotFitWithoutDirectMemory() {
    ByteBufAllocator exhausted = new Exhausted(allocator, MIB / 2);
    try (EmbeddedStore store = new EmbeddedStore(15 * MIB, MIB, clock, exhausted)) {
      Client client = new Client(store);
      String old = "x".repeat(240_000);
      client.send(set("other", "v") + set("k", old));
      assertThat(client.send("append k 0 0 60000\r\n" + "y".repeat(60_000) + "\r\n"))
          .isEqualTo("NOT_STORED\r\n");
      assertThat(client.send("get k other\r\n"))
          .isEqualTo(hit("k", old).replace("END\r\n", "") + hit("other", "v"));
    }
  }

  @Test
  void shouldExpireBySecondsOfTheClock() {
    Client client = new Client(store(MIB));
    client.send("set k 0 10 1\r\nv\r\n");
    clock.advanceSeconds(9);
    assertThat(client.send("mg k t v\r\n")).isEqualTo("VA 1 t1\r\nv\r\n");
    clock.advanceSeconds(1);
    assertThat(client.send("mg k t v\r\n")).isEqualTo("EN\r\n");
    assertThat(statistic(client, "get_expired")).isEqualTo(1);
  }

  @Test
  void shouldRemoveTheExpiredThoughNobodyAsksForThem() {
    Client client = new Client(store(8 * MIB));
    for (int i = 0; i < 1000; i++) {
      client.send("set short" + i + " 0 5 1\r\nv\r\n");
    }
    clock.advanceSeconds(6);
    for (int i = 0; i < 1000; i++) {
      client.send(set("long" + i, "v"));
    }
    assertThat(statistic(client, "curr_items")).isEqualTo(1000);
    assertThat(statistic(client, "crawler_reclaimed")).isEqualTo(1000);
  }

  @Test
  void shouldFlushLaterWhatIsOldByThen() {
    Client client = new Client(store(MIB));
    client.send(set("old", "v"));
    assertThat(client.send("flush_all 10\r\n")).isEqualTo("OK\r\n");
    clock.advanceSeconds(8);
    assertThat(client.send("get old\r\n")).isEqualTo(hit("old", "v"));
    clock.advanceSeconds(2);
    client.send(set("new", "v"));
    assertThat(client.send("get old new\r\n")).isEqualTo(hit("new", "v"));
  }

  @Test
  void shouldKeepWhatIsStoredInTheSecondOfAFlush() {
    Client client = new Client(store(MIB));
    assertThat(client.send(set("a", "1") + "flush_all\r\n" + set("b", "2") + "get a b\r\n"))
        .isEqualTo("STORED\r\nOK\r\nSTORED\r\n" + hit("b", "2"));
    assertThat(statistic(client, "curr_items")).isEqualTo(1);
  }

  @Test
  void shouldTellHowLongAgoAnItemWasUsedAndWhetherItWasRead() {
    Client client = new Client(store(MIB));
    client.send(set("k", "v"));
    clock.advanceSeconds(7);
    assertThat(client.send("mg k l h\r\nmg k l h\r\nmg k l h\r\n"))
        .isEqualTo("HD l7 h0\r\nHD l7 h1\r\nHD l0 h1\r\n");
    clock.advanceSeconds(3);
    assertThat(client.send("me k\r\n"))
        .isEqualTo("ME k exp=-1 la=3 cas=2 fetch=yes cls=1 size=61\r\n");
  }

  @Test
  void shouldShrinkAndGrowByCacheMemlimit() {
    Client client = new Client(store(32 * MIB));
    String value = "v".repeat(10_000);
    for (int i = 0; i < 3000; i++) {
      client.send(set("key" + i, value));
    }
    long before = statistic(client, "curr_items");
    assertThat(client.send("cache_memlimit 8\r\n")).isEqualTo("OK\r\n");
    assertThat(statistic(client, "curr_items")).isLessThan(before / 3);
    assertThat(client.send("get key2999\r\n")).isEqualTo(hit("key2999", value));
    assertThat(client.send("cache_memlimit 32\r\n")).isEqualTo("OK\r\n");
    for (int i = 0; i < 3000; i++) {
      client.send(set("key" + i, value));
    }
    assertThat(statistic(client, "curr_items")).isGreaterThan(before * 9 / 10);
  }

  @Test
  void shouldGiveMemoryBackAtCloseAndAnswerThatItIsClosed() {
    EmbeddedStore store = store(8 * MIB);
    Client text = new Client(store);
    text.send(set("k", "x".repeat(900_000)));
    assertThat(allocator.metric().usedDirectMemory()).isGreaterThan(900_000);
    store.close();
    store.close();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
    assertThat(text.send("get k\r\n" + set("k", "v") + "mg k v\r\nstats\r\nmn\r\n"))
        .isEqualTo("SERVER_ERROR embedded store is closed\r\n".repeat(4) + "MN\r\n");
    String get = "\u0080\0\0\1\0\0\0\0\0\0\0\1" + "\0".repeat(12) + "k";
    assertThat(new Client(store).send(get)).startsWith("\u0081\0\0\0\0\0\0\u0086");
  }

  @Test
  void shouldLiveWithTheDirectMemoryThereIs() {
    ByteBufAllocator exhausted = new Exhausted(allocator, 2 * MIB);
    try (EmbeddedStore store = new EmbeddedStore(16 * MIB, MIB, clock, exhausted)) {
      Client client = new Client(store);
      for (int i = 0; i < 1000; i++) {
        assertThat(client.send(set("key" + i, "v".repeat(10_000)))).isEqualTo("STORED\r\n");
      }
      assertThat(client.send("get key999\r\n")).isEqualTo(hit("key999", "v".repeat(10_000)));
      assertThat(allocator.metric().usedDirectMemory()).isLessThan(3 * MIB);
    }
  }

  /** Has no more pages than fit a limit. */
  private static final class Exhausted extends AbstractByteBufAllocator {
    private final UnpooledByteBufAllocator allocator;
    private final long limit;

    Exhausted(UnpooledByteBufAllocator allocator, long limit) {
      this.allocator = allocator;
      this.limit = limit;
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
      return allocator.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
      if (maxCapacity == BlockArena.PAGE_BYTES && allocator.metric().usedDirectMemory() > limit) {
        throw new OutOfMemoryError("no direct memory left");
      }
      return allocator.directBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
      return false;
    }
  }
}
