package sluice.gateway.server.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.reflect.Proxy;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.request.InFlightWatcher;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.PendingReply.Requester;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.RequestConnection;
import sluice.gateway.request.RequestPool;
import sluice.gateway.request.RingQueue;
import sluice.gateway.request.ServerRequest;
import sluice.gateway.request.Suppression;
import sluice.names.Command;

/** When a connection is read whose replies a client does not take. */
class SlowClientsTest {
  private static final int MEMORY = 64 << 20;
  private static final long TIMEOUT = TimeUnit.SECONDS.toNanos(16);

  /** Others wait for a sixteenth of the timeout. */
  private static final long PART = TimeUnit.SECONDS.toNanos(1);

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final MemoryShare memory = MemoryShare.of(1, MEMORY)[0];
  private final Loop loop =
      new Loop(
          channel.eventLoop(),
          new UnpooledByteBufAllocator(false),
          memory,
          new GatewayMetrics().newLoop());
  private final RequestPool requestPool = new RequestPool();
  private final RingQueue<ServerRequest> queue = new RingQueue<>();
  private final Requester slow = requester(true);
  private final Requester other = requester(false);
  private boolean reads = true;
  private final SlowClients slowClients =
      new SlowClients(null, queue, loop, () -> reads = false, () -> reads = true);

  private static Requester requester(boolean holdsUp) {
    return (Requester)
        Proxy.newProxyInstance(
            Requester.class.getClassLoader(),
            new Class<?>[] {Requester.class},
            (self, method, arguments) -> {
              assertThat(method.getName()).isEqualTo("holdsUp");
              return holdsUp;
            });
  }

  /** A request of a client that was sent so many nanoseconds ago. */
  private void asked(Requester by, long ago) {
    PendingReply pending = requestPool.take();
    pending.start(by, Command.GET, ReplyKind.VALUES, Suppression.NOTHING, loop.now() - ago);
    queue.add(pending.sends());
  }

  private void sweep() {
    slowClients.sweep(TIMEOUT);
  }

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  @Test
  void shouldNotReadWhileNobodyElseWaits() {
    asked(slow, 2 * PART);
    asked(slow, 0);
    slowClients.add();
    sweep();
    assertThat(reads).isFalse();
    slowClients.remove();
    assertThat(reads).isTrue();
  }

  @Test
  void shouldReadOnForOneWhoHasWaitedForAPartOfTheTimeout() {
    asked(slow, 2 * PART);
    asked(other, PART - 1);
    slowClients.add();
    sweep();
    assertThat(reads).isFalse();
    queue.poll();
    queue.poll();
    asked(slow, 2 * PART);
    asked(other, PART);
    sweep();
    assertThat(reads).isTrue();
  }

  @Test
  void shouldStopAgainWhenTheOthersAreAnswered() {
    asked(other, PART);
    asked(slow, 0);
    slowClients.add();
    sweep();
    assertThat(reads).isTrue();
    queue.poll();
    sweep();
    assertThat(reads).isFalse();
    slowClients.remove();
    assertThat(reads).isTrue();
  }

  @Test
  void shouldReadOnUntilOthersAreAnsweredHoweverShortTheyWait() {
    asked(other, PART);
    asked(other, 0);
    slowClients.add();
    sweep();
    queue.poll();
    sweep();
    assertThat(reads).isTrue();
  }

  @Test
  void shouldStopWhenMemoryRunsShort() {
    asked(other, PART);
    slowClients.add();
    sweep();
    slowClients.add();
    slowClients.behind(true);
    assertThat(reads).as("others wait, and there is memory").isTrue();
    memory.add(MEMORY);
    slowClients.add();
    assertThat(reads).as("there is no memory").isFalse();
    sweep();
    assertThat(reads).isFalse();
    memory.add(-MEMORY);
    sweep();
    assertThat(reads).isTrue();
    memory.add(MEMORY);
    sweep();
    assertThat(reads).isFalse();
    memory.add(-MEMORY);
    for (int i = 0; i < 3; i++) {
      slowClients.remove();
    }
    assertThat(reads).as("another event loop is behind").isFalse();
    slowClients.behind(false);
    assertThat(reads).isTrue();
  }

  /** The first reply may have begun: the pause keeps its rest from the client, too. */
  @Test
  void shouldReadOnForTheFirstRequestInTheQueue() {
    asked(other, PART);
    asked(slow, 0);
    slowClients.add();
    assertThat(reads).isFalse();
    sweep();
    assertThat(reads).isTrue();
  }

  /**
   * Its client is answered by a replica, and may be paused until enough of its requests are
   * settled.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldReadOnForADroppedReplyIfItIsGuarded(boolean guarded) {
    int[] settled = new int[1];
    asked(slow, 2 * PART);
    PendingReply dropped = requestPool.take();
    dropped.start(other, Command.GET, ReplyKind.VALUES, Suppression.NOTHING, loop.now() - PART);
    if (guarded) {
      dropped.guard(
          new InFlightWatcher() {
            @Override
            public void begin(long what) {}

            @Override
            public void end(long what) {
              settled[0]++;
            }
          },
          0);
    }
    ServerRequest request = dropped.sends();
    request.sentTo(connection(), 0);
    queue.add(request);
    dropped.detach();
    slowClients.add();

    sweep();

    assertThat(request.isAwaited()).isFalse();
    assertThat(reads).isEqualTo(guarded);
    assertThat(settled[0]).as("the server has not answered").isZero();
  }

  private static RequestConnection connection() {
    return new RequestConnection() {
      @Override
      public String serverName() {
        return "s";
      }

      @Override
      public boolean isAnotherToSameServer(RequestConnection other) {
        return false;
      }
    };
  }
}
