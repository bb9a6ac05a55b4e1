package sluice.gateway.server.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A server that a reload has removed, for a request that began before on a loop that shares it. */
class RemovedSharedServerTest {
  private static final long MILLI = 1_000_000;
  private static final long NEVER = TimeUnit.HOURS.toNanos(1);
  private static final long PROBE_AFTER = 50 * MILLI;

  private long nanos = TimeUnit.DAYS.toNanos(1);
  private boolean isDown = true;
  private int attempts;
  private final TwoLoops loops =
      new TwoLoops(
          SharingLoop.settings(NEVER, NEVER, PROBE_AFTER),
          () -> nanos,
          (address, attempt) -> {
            attempts++;
            if (isDown) {
              attempt.fail("it is down");
            }
          });
  private final SharingLoop owner = loops.owner;
  private final SharingLoop sharer = loops.sharer;

  private void runBoth() {
    loops.run(List.of());
  }

  @AfterEach
  void shouldHoldNothing() {
    loops.close(List.of());
  }

  /** No sweep of the loop that has the connections tries it again. */
  @Test
  void shouldBeTriedAgainForAnotherLoop() {
    sharer.server.warmUp();
    runBoth();
    assertThat(sharer.server.unavailable()).contains("server s is unreachable");
    int before = attempts;
    owner.server.retire();
    sharer.server.retire();
    isDown = false;
    nanos += 200 * MILLI;
    loops.sweep();
    runBoth();
    assertThat(attempts).isEqualTo(before);

    assertThat(sharer.server.connection(0)).isNull();
    runBoth();
    assertThat(sharer.server.unavailable()).isNull();
    assertThat(attempts).isEqualTo(before + 1);
    SharingLoop.Socket socket = owner.socket(0);
    runBoth();
    assertThat(sharer.server.connection(0)).isNotNull();
    socket.finishAndReleaseAll();
    runBoth();
  }
}
