package sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import sluice.config.Configuration;
import sluice.config.ListenerConfig;
import sluice.config.Loader;
import sluice.gateway.client.Listener;
import sluice.gateway.client.NewClient;
import sluice.gateway.client.Target;
import sluice.gateway.client.Worker;
import sluice.gateway.embedded.EmbeddedStore;
import sluice.gateway.exchange.ExchangePool;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.route.Route;

/** A client that may send anything, in two reads, in front of an embedded store. */
@Tag("long") // its instrumentation would slow down every other test of the module
class RequestFuzzTest {
  private static final Configuration CONFIGURATION =
      Loader.parse(
              "fuzz.yaml",
              """
              listeners:
                l:
                  bind: 127.0.0.1:0
                  protocol: memcached
                  route: r
                  allow: [flush_all, verbosity, cache_memlimit, slabs, lru_crawler, debug]
                  limits: {itemSize: 64KiB}
              routes:
                r:
                  - match: {prefix: "a:"}
                    pool: p
                    key: {strip: "a:", add: "much-longer:"}
                  - pool: p
              pools:
                p: {protocol: embedded, size: 16MiB}
              """)
          .configuration();
  private static final ListenerConfig LISTENER = CONFIGURATION.listeners().get("l");
  private static final Route ROUTE =
      new Graph(CONFIGURATION).route(CONFIGURATION.routes().get("r"));
  private static final LoopMetrics METRICS = new GatewayMetrics().newLoop();

  @FuzzTest(maxDuration = "60s")
  void shouldAnswerAnyTextAndKeepNothing(byte[] bytes) {
    talk(bytes, false);
  }

  @FuzzTest(maxDuration = "60s")
  void shouldAnswerAnyBinaryAndKeepNothing(byte[] bytes) {
    talk(bytes, true);
  }

  private static void talk(byte[] bytes, boolean binary) {
    if (bytes.length < 2) {
      return;
    }
    byte[] stream = bytes.clone();
    int cut = 1 + (stream[0] & 0xFF) % stream.length; // the first byte decides
    stream[0] = (byte) (binary ? 0x80 : 'g');
    UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
    MemoryShare memory = MemoryShare.of(1, 64 << 20)[0];
    EmbeddedChannel channel = new EmbeddedChannel();
    Loop loop = new Loop(channel.eventLoop(), allocator, memory, METRICS);
    EmbeddedStore store = new EmbeddedStore(16 << 20, 64 << 10, Clock.systemUTC(), allocator);
    Worker worker = new Worker(loop, new ExchangePool(), List.of());
    AtomicInteger connections = new AtomicInteger();
    Target[] targets = {Target.embedded("p", store.session())};
    Listener listener = new Listener(loop, METRICS.listener("l"), connections);
    listener.lead(LISTENER, ROUTE, targets);
    try {
      channel.pipeline().addLast("sluice", new NewClient(worker, listener));
      channel.writeInbound(Unpooled.copiedBuffer(stream, 0, cut));
      if (channel.isOpen()) {
        channel.writeInbound(Unpooled.copiedBuffer(stream, cut, stream.length - cut));
      }
      channel.runPendingTasks();
      worker.sweep();
      channel.runPendingTasks();
      channel.checkException();
    } finally {
      channel.finishAndReleaseAll();
      worker.close();
      store.close();
    }
    assertThat(connections).as("clients counted").hasValue(0);
    assertThat(memory.total()).as("bytes counted as buffered").isZero();
    assertThat(allocator.metric().usedDirectMemory()).as("direct bytes leaked").isZero();
    assertThat(allocator.metric().usedHeapMemory()).as("heap bytes leaked").isZero();
  }
}
