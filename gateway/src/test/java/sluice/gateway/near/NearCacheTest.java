package sluice.gateway.near;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.codecs.buffer.SliceList;
import sluice.embedded.NearItems;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.metrics.NearMetrics;

class NearCacheTest {
  private static final long TTL = 1_000;
  private static final NearMetrics METRICS = new GatewayMetrics().newLoop().near("p");

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private long now = 5_000;

  private static ByteBuf bytes(String text) {
    return Unpooled.copiedBuffer(text, US_ASCII);
  }

  private static int hash(String key) {
    return NearCache.hash(bytes(key), 0, key.length());
  }

  private SingleFlight singleFlight(NearCache cache, String key) {
    int hash = hash(key);
    NearCache.Part part = cache.lock(hash);
    try {
      SingleFlight.Key name = new SingleFlight.Key(bytes(key), 0, key.length(), hash);
      return new SingleFlight(cache, part, name, hash, now, false, METRICS);
    } finally {
      part.unlock();
    }
  }

  /** Whether the value was kept; in two pieces, if it can be cut. */
  private static boolean put(NearCache cache, SingleFlight singleFlight, String text) {
    SliceList value = new SliceList();
    value.add(bytes(text.substring(0, text.length() / 2)));
    value.add(bytes(text.substring(text.length() / 2)));
    return put(cache, singleFlight, value);
  }

  /** Whether the value was kept. Consumes value. */
  private static boolean put(NearCache cache, SingleFlight singleFlight, SliceList value) {
    NearCache.Part part = cache.lock(singleFlight.hash());
    try {
      return part.put(singleFlight, 7, 77, value) >= 0;
    } finally {
      part.unlock();
      value.clear();
    }
  }

  private String get(NearCache cache, String key) {
    int hash = hash(key);
    NearCache.Part part = cache.lock(hash);
    ByteBuf out = Unpooled.buffer();
    try {
      int item = part.find(hash, bytes(key), 0, key.length(), now);
      if (item == NearItems.NONE) {
        return null;
      }
      assertThat(part.items().flags(item)).isEqualTo(7);
      assertThat(part.items().cas(item)).isEqualTo(77);
      part.items().readValue(item, out);
      assertThat(out.readableBytes()).isEqualTo(part.items().valueLength(item));
      return out.toString(US_ASCII);
    } finally {
      part.unlock();
      out.release();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1 << 20, 3 << 20, 16 << 20})
  void shouldTakeNoMoreMemoryThanItsSize(long size) {
    NearCache cache = new NearCache(size, TTL, now, allocator);
    Random random = new Random(1);
    long put = 0;
    for (int i = 0; put < 4 * size; i++) {
      String value = Integer.toString(i).repeat(1 + random.nextInt(5_000));
      assertThat(put(cache, singleFlight(cache, "k" + i), value)).isTrue();
      assertThat(get(cache, "k" + i)).isEqualTo(value);
      put += value.length();
    }
    assertThat(allocator.metric().usedDirectMemory()).isBetween(size / 4, size);
    assertThat(get(cache, "k0")).isNull(); // evicted
    String largest = "l".repeat(cache.largest());
    assertThat(put(cache, singleFlight(cache, "largest"), largest)).isTrue();
    assertThat(get(cache, "largest")).isEqualTo(largest);
    assertThat(put(cache, singleFlight(cache, "larger"), largest + "l")).isFalse();
    cache.close();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
    assertThat(get(cache, "largest")).isNull();
    assertThat(put(cache, singleFlight(cache, "k"), "v")).isFalse();
  }

  /**
   * A piece begins where the one before it has ended, which may be anywhere in a block. The blocks
   * of an item are adjacent at first, and not any more when those of removed items are used again.
   */
  @Test
  void shouldKeepAValueInPiecesOfAnyLength() {
    NearCache cache = new NearCache(1 << 20, TTL, now, allocator);
    Random random = new Random(1);
    for (int i = 0; i < 2000; i++) {
      String key = "k".repeat(1 + random.nextInt(100));
      SliceList pieces = new SliceList();
      StringBuilder value = new StringBuilder();
      for (int left = random.nextInt(30); left > 0; left--) {
        String piece = Character.toString('a' + left % 26).repeat(random.nextInt(200));
        value.append(piece);
        pieces.add(bytes(piece));
      }
      assertThat(put(cache, singleFlight(cache, key + i), pieces)).isTrue();
      assertThat(get(cache, key + i)).isEqualTo(value.toString());
    }
    cache.close();
  }

  @Test
  void shouldForgetWhatIsAsOldAsItMayBe() {
    NearCache cache = new NearCache(1 << 20, TTL, now, allocator);
    SingleFlight singleFlight = singleFlight(cache, "k");
    now += 10; // from when it was sent
    assertThat(put(cache, singleFlight, "v")).isTrue();
    now += TTL - 11;
    assertThat(get(cache, "k")).isEqualTo("v");
    now += 1;
    assertThat(get(cache, "k")).isNull();
    now -= 1;
    assertThat(get(cache, "k")).isNull();
    cache.close();
  }

  @Test
  void shouldTellThoseWhoWaitThatAReadWasNotSent() {
    NearCache cache = new NearCache(1 << 20, TTL, now, allocator);
    SingleFlight unsent = singleFlight(cache, "k");
    List<SingleFlight.Result> told = new ArrayList<>();
    unsent.await(told::add);
    unsent.await(told::add);
    unsent.notSent();
    unsent.dropped();
    assertThat(told).containsExactly(SingleFlight.Result.NOT_SENT, SingleFlight.Result.NOT_SENT);
    SingleFlight sent = singleFlight(cache, "k");
    sent.await(told::add);
    sent.dropped();
    assertThat(told).last().isEqualTo(SingleFlight.Result.NOTHING);
    cache.close();
  }

  @Test
  void shouldKeepNothingThatAChangeMayHaveOvertaken() {
    NearCache cache = new NearCache(1 << 20, TTL, now, allocator);
    NearCaches caches = new NearCaches();
    caches.follow(Map.of(cache, Set.of("p")));
    Changes changes = caches.current().of(Set.of("p"));
    long what = Changes.of(hash("k"));
    SingleFlight before = singleFlight(cache, "k");
    assertThat(put(cache, singleFlight(cache, "k"), "old")).isTrue();
    changes.begin(what);
    assertThat(get(cache, "k")).isNull();
    SingleFlight during = singleFlight(cache, "k");
    assertThat(put(cache, before, "old")).isFalse();
    assertThat(put(cache, during, "old")).isFalse();
    changes.begin(what);
    changes.end(what);
    assertThat(put(cache, singleFlight(cache, "k"), "old")).isFalse(); // one is still under way
    changes.end(what);
    assertThat(put(cache, before, "old")).isFalse();
    assertThat(put(cache, during, "old")).isFalse();
    assertThat(put(cache, singleFlight(cache, "k"), "new")).isTrue();
    SingleFlight other = singleFlight(cache, "other");
    changes.begin(Changes.EVERYTHING);
    assertThat(get(cache, "k")).isNull();
    assertThat(put(cache, singleFlight(cache, "k"), "old")).isFalse();
    changes.end(Changes.EVERYTHING);
    assertThat(put(cache, other, "old")).isFalse();
    assertThat(put(cache, singleFlight(cache, "k"), "new")).isTrue();
    changes.begin(Changes.SEVERAL);
    assertThat(get(cache, "k")).isEqualTo("new"); // whose hash was not told
    changes.passing(hash("k"));
    assertThat(get(cache, "k")).isNull();
    changes.end(Changes.SEVERAL);
    cache.close();
  }

  @Test
  void shouldKeepNothingBeforeItsTime() {
    NearCache cache = new NearCache(1 << 20, TTL, now + 10, allocator);
    assertThat(put(cache, singleFlight(cache, "k"), "v")).isFalse();
    now += 10;
    assertThat(put(cache, singleFlight(cache, "k"), "v")).isTrue();
    cache.close();
  }

  /**
   * A read may overtake a change that the cache does not know, and miss. A client that reads after
   * the reply to that change must not get the miss.
   */
  @Test
  void shouldLetNoReadWaitForOneBeforeItsTime() {
    NearCache cache = new NearCache(1 << 20, TTL, now + 10, allocator);
    SingleFlight early = singleFlight(cache, "k");
    assertThat(underWay(cache, "k")).isNull();
    early.dropped();
    now += 10;
    SingleFlight late = singleFlight(cache, "k");
    assertThat(underWay(cache, "k")).isSameAs(late);
    late.dropped();
    assertThat(underWay(cache, "k")).isNull();
    cache.close();
  }

  private static SingleFlight underWay(NearCache cache, String key) {
    int hash = hash(key);
    NearCache.Part part = cache.lock(hash);
    try {
      return part.underWay(new SingleFlight.Key(bytes(key), 0, key.length(), hash), hash);
    } finally {
      part.unlock();
    }
  }

  /** A value that is uploaded may take longer than any request, and begin before the cache. */
  @Test
  void shouldDropWhatAChangeReplacedThatBeganBeforeIt() {
    long[] several = {Changes.of(hash("k")), Changes.SEVERAL, Changes.EVERYTHING};
    for (long what : several) {
      for (boolean any : new boolean[] {true, false}) {
        NearCaches caches = new NearCaches();
        NearCache before = new NearCache(1 << 20, TTL, now, allocator);
        NearCache after = new NearCache(1 << 20, TTL, now, allocator);
        if (any) {
          caches.follow(Map.of(before, Set.of("p")));
        }
        NearCaches.Current current = caches.current();
        Changes changes = any ? current.of(Set.of("p")) : current.lasting();
        changes.begin(what);
        caches.follow(Map.of(after, Set.of("p")));
        SingleFlight during = singleFlight(after, "k");
        assertThat(put(after, singleFlight(after, "k"), "old")).isTrue();
        changes.end(what);
        assertThat(get(after, "k")).isNull();
        assertThat(put(after, during, "old")).isFalse();
        assertThat(put(after, singleFlight(after, "k"), "new")).isTrue();
        caches.follow(Map.of());
        before.close();
      }
    }
    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }

  @Test
  void shouldCloseWhatIsNotFollowedAnyMore() {
    NearCaches caches = new NearCaches();
    NearCache one = new NearCache(1 << 20, TTL, now, allocator);
    NearCache two = new NearCache(1 << 20, TTL, now, allocator);
    assertThat(caches.current().all()).isNull();
    caches.follow(Map.of(one, Set.of("a"), two, Set.of("a", "b")));
    assertThat(put(one, singleFlight(one, "k"), "v") && put(two, singleFlight(two, "k"), "v"))
        .isTrue();
    NearCaches.Current current = caches.current();
    assertThat(current.of(Set.of("c"))).isNull();
    current.of(Set.of("b", "c")).passing(hash("k"));
    assertThat(get(one, "k")).isEqualTo("v");
    assertThat(get(two, "k")).isNull();
    current.all().passing(hash("k"));
    assertThat(get(one, "k")).isNull();
    caches.follow(Map.of(two, Set.of("a", "b")));
    assertThat(put(one, singleFlight(one, "k"), "v")).isFalse();
    assertThat(put(two, singleFlight(two, "k"), "v")).isTrue();
    caches.follow(Map.of());
    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }
}
