package sluice.gateway.listen;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import sluice.config.Loader;
import sluice.config.model.Configuration;
import sluice.config.model.Credentials;
import sluice.config.model.ListenerConfig;
import sluice.embedded.EmbeddedSession;
import sluice.embedded.EmbeddedStore;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.listener.Listener;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.loop.Outbound;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.metrics.ListenerMetrics;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.request.RequestPool;
import sluice.names.Command;

/** A client in front of an embedded store, without a socket. It leaks nothing, or is not closed. */
public final class StoreChannel implements AutoCloseable {
  private static final Configuration PLAIN =
      parse(
          """
          listeners: {l: {bind: 127.0.0.1:0, route: r, allow: []}}
          routes: {r: [{pool: p}]}
          pools: {p: {protocol: embedded, size: 16MiB}}
          """);

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
  private final MemoryShare memory = MemoryShare.of(1, 64 << 20)[0];
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final AtomicInteger connections = new AtomicInteger();
  private final EmbeddedStore store =
      new EmbeddedStore(16 << 20, 64 << 10, Clock.systemUTC(), allocator);
  private final ListenerMetrics metrics;
  private final ClientLoop loopState;
  private final StringBuilder heard = new StringBuilder();

  /** A client of a listener that wants a login by one of these users. */
  public StoreChannel(Credentials... users) {
    this(PLAIN, Listeners.withUsers(PLAIN.listeners().get("l"), users));
  }

  /** A client of listener {@code l}. */
  public StoreChannel(Configuration configuration) {
    this(configuration, "l");
  }

  /** A client of a listener; all pools are the same store. */
  StoreChannel(Configuration configuration, String listener) {
    this(configuration, configuration.listeners().get(listener));
  }

  private StoreChannel(Configuration configuration, ListenerConfig config) {
    LoopMetrics loopMetrics = new GatewayMetrics().newLoop();
    metrics = loopMetrics.listener("l");
    Loop loop = new Loop(channel.eventLoop(), allocator, memory, loopMetrics);
    loopState = new ClientLoop(loop, new RequestPool(), List.of());
    Pool[] targets =
        configuration.pools().keySet().stream()
            .map(pool -> Pool.embedded(pool, session()))
            .toArray(Pool[]::new);
    Listener listener = new Listener(loop, metrics, connections);
    Listeners.apply(listener, configuration, config, targets);
    channel.pipeline().addLast("sluice", new NewClient(loopState, listener));
  }

  public static Configuration parse(String yaml) {
    return Loader.parse("store.yaml", yaml).configuration();
  }

  /** Another session of the store, past the client. */
  EmbeddedSession session() {
    return new EmbeddedSession(store);
  }

  /** One read of [from, to) of bytes; none if the connection is closed. */
  public StoreChannel read(byte[] bytes, int from, int to) {
    if (channel.isOpen() && from < to) {
      channel.writeInbound(Unpooled.copiedBuffer(bytes, from, to - from));
    }
    channel.runPendingTasks();
    loopState.sweep();
    heard.append(replies());
    return this;
  }

  /**
   * Two reads of bytes that a fuzz test was given; of fewer than two bytes, none.
   *
   * @param bytes the first says where the reads are cut
   * @param first stands in its place
   */
  public void readCut(byte[] bytes, int first) {
    if (bytes.length < 2) {
      return;
    }
    byte[] stream = bytes.clone();
    int cut = 1 + (stream[0] & 0xFF) % stream.length;
    stream[0] = (byte) first;
    read(stream, 0, cut).read(stream, cut, stream.length);
  }

  /** Requests arrive, a char a byte; nothing else is done in this turn. */
  void arrive(String requests) {
    channel.pipeline().fireChannelRead(Unpooled.copiedBuffer(requests, ISO_8859_1));
  }

  /** Does what is left to be done, and returns all replies that {@link #heard} does not have. */
  String replies() {
    channel.runPendingTasks();
    channel.checkException();
    return Outbound.text(channel);
  }

  /** All answers so far, a char a byte; and whether the connection was closed. */
  public String heard() {
    return heard + (channel.isOpen() ? "" : "closed");
  }

  public long requests(Command command, Outcome outcome) {
    return metrics.requests(command, outcome);
  }

  /** Bytes counted as buffered. */
  public long buffered() {
    return memory.total();
  }

  @Override
  public void close() {
    channel.finishAndReleaseAll();
    loopState.close();
    store.close();
    assertThat(connections).as("clients counted").hasValue(0);
    assertThat(memory.total()).as("bytes counted as buffered").isZero();
    assertThat(allocator.metric().usedDirectMemory()).as("direct bytes leaked").isZero();
    assertThat(allocator.metric().usedHeapMemory()).as("heap bytes leaked").isZero();
  }
}
