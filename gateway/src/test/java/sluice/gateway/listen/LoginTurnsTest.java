package sluice.gateway.listen;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Clock;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import sluice.config.Loader;
import sluice.config.model.Configuration;
import sluice.config.model.Credentials;
import sluice.config.model.ListenerAuthConfig;
import sluice.config.model.ListenerConfig;
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
 * A login is compared with all users, of which there may be thousands: an event loop looks at one
 * of a client's, and then turns to its other clients. Clients without a password may send them.
 */
class LoginTurnsTest {
  private static final int MANY = 20;

  private static final Configuration CONFIGURATION =
      Loader.parse(
              "logins.yaml",
              """
              listeners: {l: {bind: 127.0.0.1:0, route: r}}
              routes: {r: [{pool: p}]}
              pools: {p: {protocol: embedded, size: 16MiB}}
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

  @BeforeEach
  void connect() {
    Listener listener = new Listener(loop, metrics, new AtomicInteger());
    Route route = new Graph(CONFIGURATION).route(CONFIGURATION.routes().get("r"));
    listener.apply(
        withUsers(CONFIGURATION.listeners().get("l")),
        route,
        new Pool[] {Pool.embedded("p", new EmbeddedSession(store))},
        Collections.nCopies(route.rules().size(), null),
        new NearCaches());
    channel.pipeline().addLast("sluice", new NewClient(clients, listener));
  }

  private static ListenerConfig withUsers(ListenerConfig open) {
    return new ListenerConfig(
        open.name(),
        open.bind(),
        open.protocol(),
        open.dialects(),
        open.route(),
        open.limits(),
        open.allow(),
        open.node(),
        open.peers(),
        open.strict(),
        open.tls(),
        Optional.of(new ListenerAuthConfig("users", List.of(new Credentials("alice", "secret")))),
        open.proxyProtocol());
  }

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
    clients.close();
    store.close();
    assertThat(memory.total()).isZero();
  }

  @Test
  void shouldLookAtOneLineInEachTurn() {
    arrive("set a 0 0 5\r\nalice\r\n" + "set a 0 0 3\r\na b\r\n".repeat(MANY));
    assertThat(refused()).isEqualTo(1);
    assertThat(replies())
        .isEqualTo(
            "CLIENT_ERROR bad authentication token format\r\n"
                + "CLIENT_ERROR authentication failure\r\n".repeat(MANY));
    assertThat(refused()).isEqualTo(MANY);
  }

  @Test
  void shouldLookAtOnePacketInEachTurn() {
    String login = "\u0080!\0\5" + "\0".repeat(7) + "\t" + "\0".repeat(12) + "PLAIN\0a\0b";
    arrive(login.repeat(MANY));
    assertThat(refused()).isEqualTo(1);
    assertThat(replies().split("Auth failure\\.", -1)).hasSize(MANY + 1);
    assertThat(refused()).isEqualTo(MANY);
  }

  /** Requests arrive; nothing else is done in this turn. */
  private void arrive(String requests) {
    channel.pipeline().fireChannelRead(Unpooled.copiedBuffer(requests, ISO_8859_1));
  }

  private long refused() {
    return metrics.requests(Command.SASL, Outcome.REJECTED);
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
}
