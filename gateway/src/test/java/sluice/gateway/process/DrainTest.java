package sluice.gateway.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DrainTest {
  private final Drain drain = new Drain();
  private final AtomicInteger drained = new AtomicInteger();

  @Test
  void shouldDrainOnceWhenRequested() {
    drain.started(drained::incrementAndGet);
    assertThat(drain.isRequested()).isFalse();
    assertThat(drained).hasValue(0);
    drain.request();
    drain.request();
    assertThat(drain.isRequested()).isTrue();
    assertThat(drained).hasValue(1);
  }

  @Test
  void shouldWaitForTheStart() {
    drain.request();
    drain.request();
    assertThat(drain.isRequested()).isTrue();
    drain.started(drained::incrementAndGet);
    assertThat(drained).hasValue(1);
  }

  @Test
  void shouldNotDrainWhatHasClosed() {
    drain.started(drained::incrementAndGet);
    drain.cancel();
    drain.request();
    assertThat(drain.isRequested()).isTrue();
    assertThat(drained).hasValue(0);
  }

  @Test
  void shouldNotDrainWhatClosedBeforeItHadStarted() {
    drain.cancel();
    drain.request();
    drain.started(drained::incrementAndGet);
    assertThat(drained).hasValue(0);
  }
}
