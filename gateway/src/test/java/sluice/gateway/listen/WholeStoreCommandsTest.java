package sluice.gateway.listen;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Clock;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.config.Loader;
import sluice.config.model.Configuration;
import sluice.embedded.EmbeddedSession;
import sluice.embedded.EmbeddedStore;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.listener.Listener;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.metrics.ListenerMetrics;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.near.NearCaches;
import sluice.gateway.request.RequestPool;
import sluice.gateway.route.Route;
import sluice.gateway.routing.Graph;
import sluice.names.Command;

/**
 * Commands for a whole store may take long: an event loop carries out one of a client, and then
 * turns to its other clients. Of requests with a key it carries out many, unless they copy much.
 */
class WholeStoreCommandsTest {
  private static final int MANY = 20;

  /** Requests that copy 60,000 bytes each: a turn has a budget of 4,096, and they cost 250. */
  private static final int MANY_COPIES = 64;

  private static final Configuration CONFIGURATION =
      Loader.parse(
              "whole.yaml",
              """
              listeners:
                one: {bind: 127.0.0.1:0, route: one, allow: [flush_all, cache_memlimit]}
                two: {bind: 127.0.0.2:0, route: two}
              routes:
                one: [{pool: p}]
                two: [{match: {prefix: "q:"}, pool: q}, {pool: p}]
              pools:
                p: {protocol: embedded, size: 16MiB}
                q: {protocol: embedded, size: 16MiB}
              """)
          .configuration();

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
  private final MemoryShare memory = MemoryShare.of(1, 4 << 20)[0];
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final EmbeddedStore store =
      new EmbeddedStore(16 << 20, 64 << 10, Clock.systemUTC(), allocator);
  private final LoopMetrics loopMetrics = new GatewayMetrics().newLoop();
  private final ListenerMetrics metrics = loopMetrics.listener("l");
  private final Loop loop = new Loop(channel.eventLoop(), allocator, memory, loopMetrics);
  private final ClientLoop clients = new ClientLoop(loop, new RequestPool(), List.of());

  /** The client connects to a listener, whose route has its name and as many stores. */
  private void connect(String name) {
    Listener listener = new Listener(loop, metrics, new AtomicInteger());
    Route route = new Graph(CONFIGURATION).route(CONFIGURATION.routes().get(name));
    listener.apply(
        CONFIGURATION.listeners().get(name),
        route,
        new Pool[] {
          Pool.embedded("p", new EmbeddedSession(store)),
          Pool.embedded("q", new EmbeddedSession(store))
        },
        Collections.nCopies(route.rules().size(), null),
        new NearCaches());
    channel.pipeline().addLast("sluice", new NewClient(clients, listener));
  }

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
    clients.close();
    store.close();
    assertThat(memory.total()).isZero();
  }

  /** Requests arrive; nothing else is done in this turn. */
  private void arrive(String requests) {
    channel.pipeline().fireChannelRead(Unpooled.copiedBuffer(requests, ISO_8859_1));
  }

  /** Does what is left to be done, and returns all replies. */
  private String replies() {
    channel.runPendingTasks();
    channel.checkException();
    StringBuilder all = new StringBuilder();
    for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
      all.append(out.toString(ISO_8859_1));
      out.release();
    }
    return all.toString();
  }

  private long answered(Command command) {
    return Arrays.stream(Outcome.values())
        .mapToLong(outcome -> metrics.requests(command, outcome))
        .sum();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "flush_all             | OK  | FLUSH_ALL",
        "stats cachedump 1 0   | END | STATS",
        "stats detail dump     | END | STATS",
        "cache_memlimit 16     | OK  | CACHE_MEMLIMIT",
      })
  void shouldCarryOutOneInEachTurn(String line, String reply, Command command) {
    connect("one");
    arrive((line + "\r\n").repeat(MANY));
    assertThat(answered(command)).isEqualTo(1);
    assertThat(replies()).isEqualTo((reply + "\r\n").repeat(MANY));
    assertThat(answered(command)).isEqualTo(MANY);
  }

  @Test
  void shouldCarryOutOnePacketInEachTurn() {
    connect("one");
    String flush = "\u0080\b" + "\0".repeat(22);
    arrive(flush.repeat(MANY));
    assertThat(answered(Command.FLUSH_ALL)).isEqualTo(1);
    assertThat(replies()).isEqualTo(("\u0081\b" + "\0".repeat(22)).repeat(MANY));
    assertThat(answered(Command.FLUSH_ALL)).isEqualTo(MANY);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"get a | END | GET", "version | VERSION 1.6.45 | VERSION"})
  void shouldCarryOutManyOthersInOneTurn(String line, String reply, Command command) {
    connect("one");
    arrive((line + "\r\n").repeat(MANY));
    assertThat(answered(command)).isEqualTo(MANY);
    assertThat(replies()).isEqualTo((reply + "\r\n").repeat(MANY));
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(strings = {"append", "prepend"})
  void shouldCarryOutFewThatCopyALongValueInOneTurn(String verb) {
    storeLongValue();
    connect("one");
    arrive((verb + " k 0 0 1\r\nx\r\n").repeat(MANY_COPIES));
    Command command = Command.valueOf(verb.toUpperCase(Locale.ROOT));
    assertThat(answered(command)).isBetween(1L, MANY_COPIES / 2L);
    assertThat(replies()).isEqualTo("STORED\r\n".repeat(MANY_COPIES));
    assertThat(answered(command)).isEqualTo(MANY_COPIES);
  }

  @Test
  void shouldCarryOutFewPacketsThatCopyALongValueInOneTurn() {
    storeLongValue();
    connect("one");
    String head = "\u0080\16\0\1" + "\0".repeat(7) + "\2" + "\0".repeat(12);
    arrive((head + "kx").repeat(MANY_COPIES));
    assertThat(answered(Command.APPEND)).isBetween(1L, MANY_COPIES / 2L);
    assertThat(replies()).hasSize(24 * MANY_COPIES);
    assertThat(answered(Command.APPEND)).isEqualTo(MANY_COPIES);
  }

  private void storeLongValue() {
    String set = "set k 0 0 60000\r\n" + "x".repeat(60_000) + "\r\n";
    ByteBuf bytes = Unpooled.copiedBuffer(set, ISO_8859_1);
    new EmbeddedSession(store).text(bytes, 0, bytes.writerIndex(), Unpooled.buffer());
  }

  @Test
  void shouldAskSeveralForTheirVersionsOnceInEachTurn() {
    connect("two");
    arrive("version\r\n".repeat(MANY));
    assertThat(answered(Command.VERSION)).isEqualTo(1);
    assertThat(replies()).isEqualTo("VERSION 1.6.45\r\n".repeat(MANY));
    assertThat(answered(Command.VERSION)).isEqualTo(MANY);
  }

  @Test
  void shouldAskSeveralForTheirVersionsByOnePacketInEachTurn() {
    connect("two");
    arrive(("\u0080\13" + "\0".repeat(22)).repeat(MANY));
    assertThat(answered(Command.VERSION)).isEqualTo(1);
    String head = "\u0081\13" + "\0".repeat(9) + "\6" + "\0".repeat(12);
    assertThat(replies()).isEqualTo((head + "1.6.45").repeat(MANY));
    assertThat(answered(Command.VERSION)).isEqualTo(MANY);
  }
}
