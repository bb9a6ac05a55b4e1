package sluice.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.server.health.ServerStatus;
import sluice.gateway.server.shared.LoopMailboxes;
import sluice.gateway.server.shared.SharedServers;

/** A server that a reload has removed, for a request that began before on a loop that shares it. */
class RemovedSharedServerTest {
  private static final long MILLI = 1_000_000;
  private static final long NEVER = TimeUnit.HOURS.toNanos(1);
  private static final long PROBE_AFTER = 50 * MILLI;

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
  private final List<LoopMailboxes> mailboxes = LoopMailboxes.of(2);
  private final SharedServers servers = new SharedServers(2);
  private final MemoryShare[] memory = MemoryShare.of(2, 64 << 20);
  private final ServerStatus status = new ServerStatus("p", "s");
  private long nanos = TimeUnit.DAYS.toNanos(1);
  private boolean isDown = true;
  private int attempts;
  private final SharingLoop owner = loop(0);
  private final SharingLoop sharer = loop(1);

  private SharingLoop loop(int index) {
    return new SharingLoop(
        mailboxes.get(index),
        servers,
        memory[index],
        allocator,
        status,
        SharingLoop.settings(NEVER, NEVER, PROBE_AFTER),
        () -> nanos,
        (address, attempt) -> {
          attempts++;
          if (isDown) {
            attempt.fail("it is down");
          }
        });
  }

  private void runBoth() {
    for (int i = 0; i < 4; i++) {
      owner.run();
      sharer.run();
    }
  }

  @AfterEach
  void shouldHoldNothing() {
    owner.server.close();
    sharer.server.close();
    runBoth();
    assertThat(owner.loop.memory().total()).as("bytes counted as buffered").isZero();
    assertThat(allocator.metric().usedDirectMemory()).as("direct bytes leaked").isZero();
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
    owner.sweep();
    sharer.sweep();
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
