package sluice.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.metrics.GatewayMetrics;

/** Clients that keep servers paused, of which one has an error. */
class StalledClientsTest {
  private final EmbeddedChannel owner = new EmbeddedChannel();
  private final Loop loop =
      new Loop(
          owner.eventLoop(),
          new UnpooledByteBufAllocator(false),
          MemoryShare.of(1, 1 << 20)[0],
          new GatewayMetrics().newLoop());
  private final StalledClients stalled = new StalledClients(loop);

  /** A client that counts how often servers were to be resumed. */
  private static class Stalling extends FakeClient {
    private int looks;

    Stalling() {
      super(0);
    }

    final int looks() {
      return looks;
    }

    @Override
    public void resumeServers() {
      looks++;
    }
  }

  /** A client whose every sweep fails, and whose closing changes nothing: its socket is closed. */
  private static final class Broken extends Stalling {
    @Override
    public void sweepOutput() {
      throw new IllegalStateException("an internal error");
    }
  }

  @AfterEach
  void close() {
    loop.close();
    owner.finishAndReleaseAll();
  }

  @Test
  void shouldNotSweepOneAgainThatHasFailed() {
    Broken broken = new Broken();
    Stalling other = new Stalling();
    stalled.add(broken);
    stalled.add(other);
    for (int i = 0; i < 3; i++) {
      stalled.sweep();
    }
    assertThat(broken.cause()).isInstanceOf(IllegalStateException.class);
    assertThat(broken.looks()).isOne();
    assertThat(other.looks()).isEqualTo(3);
  }
}
