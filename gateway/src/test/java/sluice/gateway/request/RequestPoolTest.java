package sluice.gateway.request;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import sluice.gateway.loop.MemoryShare;

class RequestPoolTest {
  private static final int BURST = 20_000;

  private final MemoryShare memory = MemoryShare.of(1, Long.MAX_VALUE)[0];
  private final RequestPool pool = new RequestPool(memory);
  private long now = 1;

  private void burst(int count) {
    List<PendingReply> taken = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      PendingReply pending = pool.take();
      pending.bridge(pool.takeBridged());
      for (int key = 0; key < 10; key++) {
        pending.sent().addKey(key);
      }
      taken.add(pending);
    }
    assertThat(memory.objects()).isGreaterThan(count * 900L);
    taken.forEach(pool::give);
  }

  private void seconds(int count, int inUse) {
    for (int i = 0; i < count; i++) {
      burst(inUse);
      now += TimeUnit.SECONDS.toNanos(2);
      pool.sweep(now);
    }
  }

  @Test
  void shouldCountWhatItsObjectsTakeAndForgetThoseOfABurst() {
    burst(BURST);
    seconds(30, 0);
    assertThat(memory.objects()).isBetween(1L, 512 * 1024L);
  }

  @Test
  void shouldShrinkUnderSteadyLoadToo() {
    burst(BURST);
    seconds(30, 500);
    assertThat(memory.objects()).isBetween(500 * 900L, 1024 * 1024L);
  }

  /** Clients that wait go on when a quarter is left: what nobody uses must not delay that. */
  @Test
  void shouldForgetAllThatNobodyUsesWhileClientsMayWaitForTheirHeap() {
    burst(1000);
    long used = memory.objectCeiling() * 3 / 4;
    memory.addObjects(used);
    assertThat(memory.isTight()).isFalse();
    pool.sweep(now);
    assertThat(memory.objects() - used).isZero();
  }

  /** Requests for shared connections end on the loop that has the socket. */
  @Test
  void shouldAccountForTheGrowthOfRequestsThatCameFromAnotherLoop() {
    MemoryShare other = MemoryShare.of(1, Long.MAX_VALUE)[0];
    RequestPool others = new RequestPool(other);
    ServerRequest moved = others.takeEcho(others.takeRequest());
    long before = other.objects();
    pool.give(moved);
    assertThat(pool.takeRequest()).isSameAs(moved);
    for (int key = 0; key < 100; key++) {
      moved.sent().addKey(key);
    }
    assertThat(other.objects()).isEqualTo(before);
    assertThat(memory.objects()).isGreaterThanOrEqualTo(99 * Long.BYTES);
  }
}
