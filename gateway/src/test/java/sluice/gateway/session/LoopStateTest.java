package sluice.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.vertx.core.net.SocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.request.RequestPool;
import sluice.gateway.server.EmbeddedDialer;
import sluice.gateway.server.ExclusivePool;
import sluice.gateway.server.Server;
import sluice.gateway.server.ServerSettings;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.health.ServerStatus;
import sluice.gateway.server.protocol.text.TextProtocol;
import sluice.testkit.ExpectedErrors;

/** The clients of a loop are looked after, each on its own. */
class LoopStateTest {
  private final EmbeddedChannel owner = new EmbeddedChannel();
  private final Loop loop =
      new Loop(
          owner.eventLoop(),
          new UnpooledByteBufAllocator(false),
          MemoryShare.of(1, 1 << 20)[0],
          new GatewayMetrics().newLoop());
  private final LoopState state = new LoopState(loop, new RequestPool(), List.of(), 0);

  @AfterEach
  void close() {
    owner.close();
  }

  /** As {@link System#nanoTime} may. */
  @Test
  void shouldSweepClientsAlsoWhenTheClockBeginsBelowZero() {
    long[] now = {Long.MIN_VALUE + 1};
    Loop early =
        new Loop(
            owner.eventLoop(),
            new UnpooledByteBufAllocator(false),
            MemoryShare.of(1, 1 << 20)[0],
            new GatewayMetrics().newLoop(),
            () -> now[0]);
    LoopState swept = new LoopState(early, new RequestPool(), List.of(), 0);
    FakeClient client = new FakeClient(0);
    swept.add(client);
    now[0] += TimeUnit.SECONDS.toNanos(1);
    early.tick();
    swept.sweep();
    assertThat(client.sweeps()).isOne();
  }

  /** They come after the servers, and one that stalls may have the memory that was lacking. */
  @Test
  void shouldSweepClientsWhenTheSweepOfAServerFails() throws Exception {
    long[] now = {0};
    LoopMetrics metrics = new GatewayMetrics().newLoop();
    Loop timed =
        new Loop(
            owner.eventLoop(),
            new UnpooledByteBufAllocator(false),
            MemoryShare.of(1, 1 << 20)[0],
            metrics,
            () -> now[0]);
    SocketAddress nowhere = SocketAddress.inetSocketAddress(1, "127.0.0.1");
    Server server =
        new Server(
            timed,
            EmbeddedDialer.of(timed, (address, attempt) -> {}),
            new RequestPool(),
            new ServerStatus("p", "s"),
            TextProtocol.INSTANCE,
            new ServerSettings(nowhere, null, null, 1, 1, 1, 1, Integer.MAX_VALUE, 1, 0, 0, 0, 0),
            metrics);
    server.acquire(new Failing());
    LoopState swept = new LoopState(timed, new RequestPool(), List.of(server), 0);
    FakeClient client = new FakeClient(0);
    swept.add(client);
    now[0] += TimeUnit.MILLISECONDS.toNanos(100);
    ExpectedErrors.of("the sweep of server s failed").during(swept::sweep);
    assertThat(client.sweeps()).isOne();
  }

  /** A request that fails when its time is over. */
  private static final class Failing implements ExclusivePool.Acquirer {
    @Override
    public void acquired(ServerConnection connection) {}

    @Override
    public void refused(String reason) {
      throw new IllegalStateException("of the test");
    }

    @Override
    public boolean isWaiting() {
      return true;
    }
  }

  @Test
  void shouldSweepTheOthersWhenTheSweepOfOneFails() {
    FakeClient before = new FakeClient(0);
    FakeClient fails =
        new FakeClient(0) {
          @Override
          public void sweep(double drained) {
            throw new IllegalStateException("of the test");
          }
        };
    FakeClient behind = new FakeClient(0);
    state.add(before);
    state.add(fails);
    state.add(behind);
    state.drain(1_000_000_000); // sweeps at once
    assertThat(before.sweeps()).isOne();
    assertThat(behind.sweeps()).isOne();
    assertThat(fails.cause()).hasMessage("of the test");
    assertThat(behind.cause()).isNull();
  }

  @Test
  void shouldLookForOtherStalledClientsWhenTheLookAtOneFails() {
    int[] looks = new int[2];
    FakeClient fails =
        new FakeClient(0) {
          @Override
          public boolean stallsServersTooLong(int halvings) {
            throw new IllegalStateException("of the test");
          }
        };
    FakeClient behind =
        new FakeClient(0) {
          @Override
          public boolean stallsServersTooLong(int halvings) {
            looks[0]++;
            return false;
          }

          @Override
          public boolean keepsConnectionTooLong() {
            looks[1]++;
            return false;
          }
        };
    FakeClient failsLater =
        new FakeClient(0) {
          @Override
          public boolean keepsConnectionTooLong() {
            throw new IllegalStateException("of the test, too");
          }
        };
    state.add(failsLater);
    state.add(behind);
    state.stalled().add(fails);
    state.stalled().add(behind);
    state.drain(1_000_000_000); // sweeps at once
    assertThat(looks).containsExactly(1, 1);
    assertThat(fails.cause()).hasMessage("of the test");
    assertThat(failsLater.cause()).hasMessage("of the test, too");
    assertThat(behind.cause()).isNull();
  }
}
