package sluice.gateway.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import sluice.codecs.compress.Scratch;
import sluice.gateway.metrics.GatewayMetrics;

class LoopTest {
  private static final int LARGE = 4 << 20;

  private final MemoryShare memory = MemoryShare.of(1, 64 << 20)[0];
  private final Loop loop =
      new Loop(
          new EmbeddedChannel().eventLoop(),
          new UnpooledByteBufAllocator(false),
          memory,
          new GatewayMetrics().newLoop());

  @Test
  void shouldCountTheBufferThatItCompressesIn() {
    loop.workspace().scratch().buffer(LARGE);
    assertThat(memory.total()).isGreaterThanOrEqualTo(LARGE);
    loop.close();
    assertThat(memory.total()).isZero();
  }

  @Test
  void shouldGiveTheBufferBackOfWhichFewerBytesWereUsedOfLate() {
    Scratch scratch = loop.workspace().scratch();
    ByteBuf large = scratch.buffer(LARGE);
    scratch.releaseIfIdle(); // as of some time ago
    assertThat(scratch.buffer(20_000)).isSameAs(large);
    loop.tick();
    loop.sweep();
    assertThat(large.refCnt()).isZero();
    assertThat(memory.total()).isZero();
    loop.close();
  }

  @Test
  void shouldBeSweptAfterATenthOfTheTimeWithoutWorkAndSayWhenItHasSome() {
    var time = new ManualTime(new EmbeddedChannel());
    Loop idle =
        time.loop(new UnpooledByteBufAllocator(false), memory, new GatewayMetrics().newLoop());
    AtomicInteger woken = new AtomicInteger();
    idle.whenActive(woken::incrementAndGet);
    pass(time, idle, 200);
    assertThat(idle.sweepMillis()).isEqualTo(10);
    pass(time, idle, 2);
    assertThat(idle.sweepMillis()).isEqualTo(20);
    pass(time, idle, 400);
    assertThat(idle.sweepMillis()).isEqualTo(50);
    assertThat(woken).hasValue(0);
    idle.active();
    assertThat(idle.sweepMillis()).isEqualTo(10);
    assertThat(woken).hasValue(1);
    pass(time, idle, 1002);
    assertThat(idle.sweepMillis()).isEqualTo(100);
    pass(time, idle, 1000);
    assertThat(idle.sweepMillis()).isEqualTo(200);
    assertThat(woken).hasValue(1);
    idle.beginIteration();
    assertThat(idle.sweepMillis()).isEqualTo(10);
    assertThat(woken).hasValue(2);
    idle.beginIteration();
    assertThat(woken).hasValue(2);
    idle.close();
  }

  @Test
  void shouldBeSweptSeldomSoonAfterItsLastWorkIfNothingWaits() {
    var time = new ManualTime(new EmbeddedChannel());
    Loop quiet =
        time.loop(new UnpooledByteBufAllocator(false), memory, new GatewayMetrics().newLoop());
    AtomicInteger woken = new AtomicInteger();
    quiet.whenActive(woken::incrementAndGet);
    pass(time, quiet, 50, false);
    assertThat(quiet.sweepMillis()).isEqualTo(10);
    pass(time, quiet, 1, false);
    assertThat(quiet.sweepMillis()).isEqualTo(100);
    pass(time, quiet, 1, true);
    assertThat(quiet.sweepMillis()).isEqualTo(10);
    assertThat(woken).as("the timer is longer").hasValue(1);
    pass(time, quiet, 1948, false);
    assertThat(quiet.sweepMillis()).isEqualTo(100);
    pass(time, quiet, 1, false);
    assertThat(quiet.sweepMillis()).isEqualTo(200);
    assertThat(woken).hasValue(1);
    quiet.close();
  }

  /** Under load, an iteration does not end before the next one begins. */
  @Test
  void shouldBeSweptOftenWhileWorkGoesOnFromIterationToIteration() {
    var time = new ManualTime(new EmbeddedChannel());
    Loop busy =
        time.loop(new UnpooledByteBufAllocator(false), memory, new GatewayMetrics().newLoop());
    busy.afterSockets(() -> {}); // its iteration has begun, and does not end
    for (int i = 0; i < 30; i++) {
      busy.tick();
      busy.beginIteration();
      pass(time, busy, 100);
      assertThat(busy.sweepMillis()).isEqualTo(10);
    }
    busy.close();
  }

  private static void pass(ManualTime time, Loop loop, long millis) {
    pass(time, loop, millis, true);
  }

  private static void pass(ManualTime time, Loop loop, long millis, boolean waits) {
    time.pass(TimeUnit.MILLISECONDS.toNanos(millis));
    loop.tick();
    loop.sweep(waits);
  }
}
