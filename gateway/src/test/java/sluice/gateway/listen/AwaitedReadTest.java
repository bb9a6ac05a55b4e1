package sluice.gateway.listen;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.gateway.client.Connected;
import sluice.gateway.loop.Loop;
import sluice.gateway.near.NearCache;
import sluice.gateway.near.SingleFlight;

/** A client that waits for another one's read of the same key, perhaps of another event loop. */
class AwaitedReadTest {
  private static final int HASH = 0;
  private static final long LEAST_STANDSTILL = TimeUnit.SECONDS.toNanos(30);

  private final long[] now = {0};
  private final SocketlessClients clients =
      new SocketlessClients("", () -> now[0], LEAST_STANDSTILL);
  private final EmbeddedChannel channel = new EmbeddedChannel();

  @AfterEach
  void close() {
    clients.close();
  }

  private static SingleFlight read() {
    NearCache cache = new NearCache(1 << 20, 1, 0, UnpooledByteBufAllocator.DEFAULT);
    NearCache.Part part = cache.lock(HASH);
    try {
      SingleFlight.Key key = new SingleFlight.Key(Unpooled.EMPTY_BUFFER, 0, 0, HASH);
      return new SingleFlight(cache, part, key, HASH, 0, false, null);
    } finally {
      part.unlock();
    }
  }

  /** Its request may go to a server then, and may have a limit of milliseconds there. */
  @Test
  void shouldHaveItsLoopSweptOftenWhenTheReadHasEnded() {
    Loop loop = clients.loop();
    Connected client = clients.connect(channel);
    SingleFlight read = read();
    client.client().awaits(read, Long.MAX_VALUE);
    SocketlessClients.arrives(channel, "mn\r\n");
    clients.runTasks(channel);
    now[0] += TimeUnit.MILLISECONDS.toNanos(60);
    loop.tick();
    loop.sweep(false); // nothing waits for a server
    assertThat(loop.sweepMillis()).isEqualTo(10 * Loop.SHORTEST_SWEEP);

    read.notSent();
    clients.runTasks(channel);
    assertThat(loop.sweepMillis()).isEqualTo(Loop.SHORTEST_SWEEP);
    assertThat(clients.told(channel)).isEqualTo("MN\r\n");
  }
}
