package sluice.gateway.client.leaving;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.config.model.LimitsConfig;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.ManualTime;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.metrics.GatewayMetrics;

class LifetimeTest {
  /** The share of the time in which clients leave while the gateway does not drain. */
  private static final double STAYS = -1;

  private final EmbeddedChannel owner = new EmbeddedChannel();
  private final ManualTime time = new ManualTime(owner);
  private final Loop loop =
      time.loop(
          new UnpooledByteBufAllocator(false),
          MemoryShare.of(1, 1 << 20)[0],
          new GatewayMetrics().newLoop());
  private final Lifetime forever = lifetime(LimitsConfig.NEVER);
  private final Lifetime minute = lifetime(60_000);

  private Lifetime lifetime(long maxAgeMillis) {
    return new Lifetime(loop, new LimitsConfig(1, 1, 1, 1, 1, 1, maxAgeMillis, 1, 1, 1));
  }

  private static LimitsConfig idle(long idleMillis) {
    return new LimitsConfig(1, 1, 1, 1, 1, idleMillis, LimitsConfig.NEVER, 1, 1, 1);
  }

  private void pass(long millis) {
    time.pass(TimeUnit.MILLISECONDS.toNanos(millis));
    loop.tick();
  }

  @AfterEach
  void close() {
    owner.finishAndReleaseAll();
  }

  @Test
  void shouldLetAClientStayUntilItIsTooOldOrTheGatewayDrains() {
    pass(TimeUnit.DAYS.toMillis(1));
    assertThat(forever.ends(STAYS, 0)).isFalse();
    assertThat(forever.ends(1, 0)).isTrue();
    assertThat(minute.ends(STAYS, 0)).isTrue();
  }

  /** Up to a fifth earlier, so that clients that came together do not leave together. */
  @Test
  void shouldEndNearTheMaximumAge() {
    pass(47_000);
    assertThat(minute.ends(STAYS, 0)).isFalse();
    pass(14_000);
    assertThat(minute.ends(STAYS, 0)).isTrue();
  }

  @Test
  void shouldWaitForAMomentOfSilenceThatBecomesShorter() {
    forever.heard();
    assertThat(forever.ends(1, 0)).isFalse();
    pass(60);
    assertThat(forever.ends(1, 0)).isFalse();
    assertThat(forever.ends(1, 0.5)).isTrue();
    forever.heard();
    assertThat(forever.ends(1, 0.5)).isFalse();
    assertThat(forever.ends(1, 1)).as("it is never silent").isTrue();
  }

  @Test
  void shouldKnowForHowLongTheClientWasSilent() {
    pass(1000);
    assertThat(forever.isSilent(idle(1000))).isFalse();
    pass(1);
    assertThat(forever.isSilent(idle(1000))).isTrue();
    assertThat(forever.isSilent(idle(LimitsConfig.NEVER))).isFalse();
    forever.heard();
    assertThat(forever.isSilent(idle(1))).isFalse();
  }
}
