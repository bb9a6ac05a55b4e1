package sluice.gateway.internode;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ReleaseGuardTest {
  private final AtomicInteger released = new AtomicInteger();
  private final ReleaseGuard guard = new ReleaseGuard(released::incrementAndGet);

  @Test
  void shouldReleaseAtOnceWhenNothingIsRead() {
    assertThat(guard.enter()).isTrue();
    guard.leave();
    assertThat(guard.isOver()).isFalse();
    guard.end();
    assertThat(released).hasValue(1);
    assertThat(guard.isOver()).isTrue();
  }

  @Test
  void shouldReleaseBehindTheReadInWhichItEnded() {
    assertThat(guard.enter()).isTrue();
    guard.end();
    assertThat(guard.isOver()).isTrue();
    assertThat(released).hasValue(0);
    guard.leave();
    assertThat(released).hasValue(1);
  }

  @Test
  void shouldReleaseOnceAndReadNothingMore() {
    guard.end();
    guard.end();
    assertThat(guard.enter()).isFalse();
    assertThat(released).hasValue(1);
  }
}
