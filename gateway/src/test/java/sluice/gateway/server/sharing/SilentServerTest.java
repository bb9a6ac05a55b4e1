package sluice.gateway.server.sharing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.vertx.core.Promise;
import io.vertx.core.net.NetSocket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import sluice.gateway.loop.Outbound;
import sluice.gateway.server.EmbeddedDialer;
import sluice.gateway.server.ServerWaiter;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.health.ServerStatus;

/**
 * Connections whose server was silent for a while, and may not know them any more. Two event loops
 * use them; there are no sockets.
 */
abstract class SilentServerTest {
  static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  static final long PROBE_AFTER = SECOND;
  static final long TIMEOUT = 10 * SECOND;
  static final long QUEUE_TIMEOUT = 4 * SECOND; // a check may take a quarter of it
  static final String CHECK = "version\r\n";
  static final String VERSION = "VERSION 1.6.18\r\n";

  /** Request that waits for the server. */
  final class Waiting implements ServerWaiter {
    private final long since = nanos;
    int changes;
    String tooLate;

    @Override
    public void serverChanged() {
      changes++;
    }

    @Override
    public void serverTooLate(String reason) {
      tooLate = reason;
    }

    @Override
    public long waitingSince() {
      return since;
    }
  }

  final Deque<Promise<NetSocket>> attempts = new ArrayDeque<>();
  private final List<EmbeddedChannel> channels = new ArrayList<>();
  private long nanos = TimeUnit.DAYS.toNanos(1);
  private final TwoLoops loops =
      new TwoLoops(
          SharingLoop.settings(TIMEOUT, QUEUE_TIMEOUT, PROBE_AFTER),
          () -> nanos,
          (address, attempt) -> attempts.add(attempt));
  final ServerStatus status = loops.status;
  final SharingLoop owner = loops.owner;
  final SharingLoop sharer = loops.sharer;
  EmbeddedChannel first;
  ServerConnection silent;

  @BeforeEach
  void connect() {
    owner.server.warmUp();
    first = connected();
    answers(first, VERSION);
    silent = owner.server.connection(0);
    assertThat(silent).isNotNull();
  }

  @AfterEach
  void shouldHoldNothing() {
    loops.close(channels);
  }

  final void runBoth() {
    loops.run(channels);
  }

  final void later(long passed) {
    nanos += passed;
    loops.sweep();
    runBoth();
  }

  /** The attempt to connect succeeds. */
  final EmbeddedChannel connected() {
    runBoth();
    EmbeddedChannel channel = new EmbeddedChannel();
    channel.pipeline().addLast("handler", new ChannelInboundHandlerAdapter());
    channels.add(channel);
    attempts.remove().complete(EmbeddedDialer.socket(channel));
    runBoth();
    assertThat(asked(channel)).isEqualTo(CHECK);
    return channel;
  }

  final String asked(EmbeddedChannel channel) {
    runBoth();
    return Outbound.text(channel);
  }

  final void answers(EmbeddedChannel channel, String text) {
    channel.writeInbound(Unpooled.copiedBuffer(text, ISO_8859_1));
    runBoth();
  }

  /** A request finds no connection, and waits. */
  final Waiting waits(SharingLoop loop) {
    Waiting waiting = new Waiting();
    assertThat(loop.server.connection(0)).isNull();
    assertThat(loop.server.unavailable()).isNull();
    loop.server.await(waiting);
    runBoth();
    return waiting;
  }
}
