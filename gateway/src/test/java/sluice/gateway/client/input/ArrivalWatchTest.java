package sluice.gateway.client.input;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.metrics.GatewayMetrics;

class ArrivalWatchTest {
  private static final long LONG = 3_600_000_000_000L;
  private static final int LENGTH = 1 << 20;

  private final EmbeddedChannel owner = new EmbeddedChannel();
  private final Loop loop =
      new Loop(
          owner.eventLoop(),
          new UnpooledByteBufAllocator(false),
          MemoryShare.of(1, 1 << 20)[0],
          new GatewayMetrics().newLoop());
  private final ArrivalWatch watch = new ArrivalWatch(loop);

  private void look(int times, long arrived) {
    for (int i = 0; i < times; i++) {
      loop.tick();
      watch.look(arrived, LENGTH, false);
    }
  }

  @AfterEach
  void close() {
    owner.finishAndReleaseAll();
  }

  @Test
  void shouldGiveTheFirstValueOfAConnectionAllItsTime() {
    look(5, 1000);
    assertThat(watch.standsStillFor(LONG)).isFalse();
  }

  @Test
  void shouldTellWhenTooLittleArrives() {
    look(1, 100_000);
    assertThat(watch.standsStillFor(0)).as("it was seen once").isFalse();
    look(3, 100_001);
    assertThat(watch.standsStillFor(0)).isTrue();
    look(3, 200_000);
    look(1, 300_000);
    assertThat(watch.standsStillFor(0)).isFalse();
  }
}
