package sluice.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.config.Loader;
import sluice.config.model.Configuration;
import sluice.gateway.listen.ClientLoop;
import sluice.gateway.listen.Listeners;
import sluice.gateway.listener.Listener;
import sluice.gateway.listener.ListenerView;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.ManualTime;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.request.RequestPool;

/** A whole value whose memory others wait for, of a client that does or does not read. */
class GatheredValueTest {
  private static final int LENGTH = 1000;
  private static final String YAML =
      """
      listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
      routes: {cache: [{reject: no}]}
      pools: {unused: {servers: ["127.0.0.1:1"]}}
      """;

  private final EmbeddedChannel owner = new EmbeddedChannel();
  private final ManualTime time = new ManualTime(owner);
  private final LoopMetrics metrics = new GatewayMetrics().newLoop();
  private final Loop loop =
      time.loop(new UnpooledByteBufAllocator(false), MemoryShare.of(1, 64 << 20)[0], metrics);
  private final ClientLoop clients = new ClientLoop(loop, new RequestPool(), List.of());
  private final BackPressure pressure;
  private final GatheredValue value;
  private long taken; // by the client, of its replies

  GatheredValueTest() {
    ClientControl control =
        (ClientControl)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {ClientControl.class},
                (proxy, method, arguments) ->
                    Map.of("takenBytes", taken, "pendingBytes", 100_000L).get(method.getName()));
    ListenerView view = view();
    pressure = new BackPressure(control, null, null, view, loop, () -> false);
    value = new GatheredValue(control, pressure, clients.loopState().valueMemory(), loop);
    value.begin(LENGTH);
    ByteBuf bytes = Unpooled.buffer().writeZero(LENGTH);
    value.slices().add(bytes, LENGTH);
    bytes.release();
  }

  private ListenerView view() {
    Configuration configuration = Loader.parse("test.yaml", YAML).configuration();
    Listener listener = new Listener(loop, metrics.listener("cache"), new AtomicInteger());
    Listeners.apply(listener, configuration, configuration.listeners().get("cache"));
    return new ListenerView(listener);
  }

  @AfterEach
  void close() {
    value.slices().release();
    clients.close();
    owner.finishAndReleaseAll();
  }

  /** Half of the time that a client may stand still passes, ten times. */
  private void pass(boolean reads, boolean mayCome) {
    for (int i = 0; i < 10; i++) {
      time.pass(pressure.stallNanos() / 2 + 1);
      loop.tick();
      taken += reads ? 1 : 0;
      pressure.sweep();
      value.sweep(mayCome);
    }
  }

  @Test
  void shouldExcuseAClientThatReadsItsReplies() {
    pass(true, true);
    assertThat(value.standsStillFor(pressure.stallNanos())).isFalse();
  }

  @Test
  void shouldNotExcuseAClientThatReadsNone() {
    pass(false, true);
    assertThat(value.standsStillFor(pressure.stallNanos())).isTrue();
  }

  @Test
  void shouldExcuseAClientThatTheGatewayPauses() {
    pass(false, false);
    assertThat(value.standsStillFor(pressure.stallNanos())).isFalse();
  }
}
