package sluice.gateway.server.sharing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
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
import org.junit.jupiter.api.Test;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.server.EmbeddedDialer;
import sluice.gateway.server.ServerWaiter;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.health.ServerStatus;
import sluice.names.Command;

/**
 * Connections whose server was silent for a while, and may not know them any more. Two event loops
 * use them; there are no sockets.
 */
class SilentConnectionsTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long PROBE_AFTER = SECOND;
  private static final long TIMEOUT = 10 * SECOND;
  private static final long QUEUE_TIMEOUT = 4 * SECOND; // a check may take a quarter of it
  private static final String CHECK = "version\r\n";
  private static final String VERSION = "VERSION 1.6.18\r\n";

  /** Request that waits for the server. */
  private final class Waiting implements ServerWaiter {
    private final long since = nanos;
    private int changes;
    private String tooLate;

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

  private final Deque<Promise<NetSocket>> attempts = new ArrayDeque<>();
  private final List<EmbeddedChannel> channels = new ArrayList<>();
  private long nanos = TimeUnit.DAYS.toNanos(1);
  private final TwoLoops loops =
      new TwoLoops(
          SharingLoop.settings(TIMEOUT, QUEUE_TIMEOUT, PROBE_AFTER),
          () -> nanos,
          (address, attempt) -> attempts.add(attempt));
  private final ServerStatus status = loops.status;
  private final SharingLoop owner = loops.owner;
  private final SharingLoop sharer = loops.sharer;
  private EmbeddedChannel first;
  private ServerConnection silent;

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

  private void runBoth() {
    loops.run(channels);
  }

  private void later(long passed) {
    nanos += passed;
    loops.sweep();
    runBoth();
  }

  /** The attempt to connect succeeds. */
  private EmbeddedChannel connected() {
    runBoth();
    EmbeddedChannel channel = new EmbeddedChannel();
    channel.pipeline().addLast("handler", new ChannelInboundHandlerAdapter());
    channels.add(channel);
    attempts.remove().complete(EmbeddedDialer.socket(channel));
    runBoth();
    assertThat(asked(channel)).isEqualTo(CHECK);
    return channel;
  }

  private String asked(EmbeddedChannel channel) {
    runBoth();
    StringBuilder asked = new StringBuilder();
    for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
      asked.append(out.toString(ISO_8859_1));
      out.release();
    }
    return asked.toString();
  }

  private void answers(EmbeddedChannel channel, String text) {
    channel.writeInbound(Unpooled.copiedBuffer(text, ISO_8859_1));
    runBoth();
  }

  /** A request finds no connection, and waits. */
  private Waiting waits(SharingLoop loop) {
    Waiting waiting = new Waiting();
    assertThat(loop.server.connection(0)).isNull();
    assertThat(loop.server.unavailable()).isNull();
    loop.server.await(waiting);
    runBoth();
    return waiting;
  }

  // --- one event loop -----------------------------------------------------------------------

  @Test
  void shouldUseANewConnectionWhenTheCheckOfASilentOneIsNotAnswered() {
    later(PROBE_AFTER + 1);
    Waiting waiting = waits(owner);
    assertThat(asked(first)).isEqualTo(CHECK);
    later(QUEUE_TIMEOUT / 4);
    assertThat(attempts).isEmpty();

    later(1);

    assertThat(attempts).hasSize(1);
    later(1);
    assertThat(attempts).as("one attempt at a time").hasSize(1);
    EmbeddedChannel second = connected();
    answers(second, VERSION);
    assertThat(waiting.changes).isEqualTo(1);
    assertThat(owner.server.connection(0)).isNotNull().isNotSameAs(silent);
    assertThat(first.isOpen()).isFalse();
    assertThat(status.isUsable()).isTrue();
    later(1);
    assertThat(owner.server.connections()).isEqualTo(1);
  }

  @Test
  void shouldStayWithASilentConnectionThatAnswersFirst() {
    later(PROBE_AFTER + 1);
    Waiting waiting = waits(owner);
    later(QUEUE_TIMEOUT / 4 + 1);

    answers(first, VERSION);

    assertThat(waiting.changes).isEqualTo(1);
    assertThat(owner.server.connection(0)).isSameAs(silent);
    EmbeddedChannel second = connected();
    assertThat(owner.server.connection(0)).isSameAs(silent);
    answers(second, VERSION);
    assertThat(owner.server.connection(0)).isNotNull().isNotSameAs(silent);
    assertThat(first.isOpen()).as("the old connection, which has nothing left to do").isFalse();
  }

  @Test
  void shouldKeepRequestsOfTheOldConnectionWhenTheNewOneTakesItsPlace() {
    later(PROBE_AFTER + 1);
    waits(owner);
    later(QUEUE_TIMEOUT / 4 + 1);
    answers(first, VERSION);
    assertThat(asked(first)).isEqualTo(CHECK);
    SharingLoop.Client client = owner.new Client();
    client.get(silent, "k");
    assertThat(asked(first)).isEqualTo("get k\r\n");

    answers(connected(), VERSION);

    assertThat(first.isOpen()).isTrue();
    answers(first, "END\r\n");
    assertThat(client.got).hasToString("END\r\n");
    assertThat(first.isOpen()).isFalse();
  }

  @Test
  void shouldFailRequestsAtOnceWhileNeitherConnectionWorks() {
    later(PROBE_AFTER + 1);
    Waiting waiting = waits(owner);
    later(QUEUE_TIMEOUT / 4 + 1);

    attempts.remove().fail("refused");
    runBoth();

    assertThat(waiting.changes).isEqualTo(1);
    assertThat(owner.server.connection(0)).isNull();
    assertThat(owner.server.unavailable()).contains("is unreachable");
    assertThat(attempts).isEmpty();
    later(PROBE_AFTER + 1);
    assertThat(attempts).as("it is tried again").hasSize(1);
    answers(connected(), VERSION);
    assertThat(owner.server.unavailable()).isNull();
    assertThat(owner.server.connection(0)).isNotNull().isNotSameAs(silent);
    assertThat(first.isOpen()).isFalse();
  }

  @Test
  void shouldAcceptRequestsAgainWhenTheSilentConnectionAnswersAfterTheOtherFailed() {
    later(PROBE_AFTER + 1);
    waits(owner);
    later(QUEUE_TIMEOUT / 4 + 1);
    attempts.remove().fail("refused");
    runBoth();
    assertThat(owner.server.isDown()).isTrue();

    answers(first, VERSION);

    assertThat(owner.server.unavailable()).isNull();
    assertThat(owner.server.isDown()).isFalse();
    assertThat(owner.server.connection(0)).isSameAs(silent);
    later(PROBE_AFTER / 2);
    assertThat(attempts).isEmpty();
  }

  @Test
  void shouldIgnoreThatTheOtherFailsWhenTheSilentConnectionHasAnswered() {
    later(PROBE_AFTER + 1);
    waits(owner);
    later(QUEUE_TIMEOUT / 4 + 1);
    answers(first, VERSION);

    attempts.remove().fail("refused");
    runBoth();

    assertThat(owner.server.unavailable()).isNull();
    assertThat(owner.server.isDown()).isFalse();
    assertThat(status.isUsable()).isTrue();
    assertThat(owner.server.connection(0)).isSameAs(silent);
  }

  @Test
  void shouldBeAvailableAgainWhenAConnectionAcceptsRequestsAfterAnAttemptFailed() {
    SharingLoop.Client client = pause();
    assertThat(owner.server.connection(0)).as("it waits for the client").isNull();
    runBoth();
    attempts.remove().fail("refused");
    runBoth();
    assertThat(owner.server.unavailable()).contains("is unreachable");

    client.full(false);
    later(1);

    assertThat(owner.server.unavailable()).isNull();
    assertThat(owner.server.connection(0)).isSameAs(silent);
    assertThat(status.isUsable()).isTrue();
  }

  @Test
  void shouldLookForAnotherConnectionWhenTheAnswerComesWithAReplyThatWaitsForItsClient() {
    later(PROBE_AFTER + 1);
    Waiting waiting = waits(owner);
    SharingLoop.Client client = owner.new Client();
    client.get(silent, "k");
    assertThat(asked(first)).isEqualTo(CHECK + "get k\r\n");
    client.full(true);

    answers(first, VERSION + "END\r\n");

    assertThat(silent.isAccepting()).isFalse();
    assertThat(waiting.changes).isEqualTo(1);
    client.full(false);
    runBoth();
  }

  @Test
  void shouldTryAgainWhileTheOnlyConnectionWaitsForItsClient() {
    SharingLoop.Client client = pause();
    owner.server.connection(0);
    runBoth();
    attempts.remove().fail("refused");
    runBoth();

    later(PROBE_AFTER + 1);

    assertThat(attempts).hasSize(1);
    answers(connected(), VERSION);
    assertThat(owner.server.unavailable()).isNull();
    assertThat(owner.server.connection(0)).isNotNull().isNotSameAs(silent);
    client.full(false);
    runBoth();
    assertThat(first.isOpen()).isFalse();
  }

  @Test
  void shouldSendRequestsThatWaitForAnotherConnectionWhenTheFirstAcceptsThemAgain() {
    SharingLoop.Client client = pause();
    Waiting waiting = waits(owner);
    assertThat(attempts).hasSize(1);

    client.full(false);
    runBoth();

    assertThat(waiting.changes).isEqualTo(1);
    assertThat(owner.server.connection(0)).isSameAs(silent);
  }

  /** A client waits for a reply, and takes none. */
  private SharingLoop.Client pause() {
    SharingLoop.Client client = owner.new Client();
    client.get(silent, "k");
    assertThat(asked(first)).isEqualTo("get k\r\n");
    client.full(true);
    answers(first, "END\r\n");
    assertThat(silent.isAccepting()).isFalse();
    return client;
  }

  /** Other event loops may fail to connect to a server that answers here. */
  @Test
  void shouldNotReportAServerAsReachableForAnAnswerThatWasExpected() {
    status.down(ServerStatus.Side.TEXT, "another loop cannot connect");
    later(PROBE_AFTER + 1);
    Waiting waiting = waits(owner);

    answers(first, VERSION);

    assertThat(waiting.changes).isEqualTo(1);
    assertThat(status.isUsable()).isFalse();
  }

  // --- two event loops ----------------------------------------------------------------------

  @Test
  void shouldUseANewConnectionWhenTheCheckOfASharerIsNotAnswered() {
    sharer.server.warmUp();
    runBoth();
    ServerConnection pipe = sharer.server.connection(0);
    assertThat(pipe).isNotNull();
    later(PROBE_AFTER + 1);
    Waiting waiting = waits(sharer);
    assertThat(asked(first)).isEqualTo(CHECK);

    later(QUEUE_TIMEOUT / 4 + 1);
    answers(connected(), VERSION);

    assertThat(waiting.changes).isPositive();
    assertThat(waiting.tooLate).isNull();
    assertThat(sharer.server.connection(0)).as("it asks the owner").isNull();
    runBoth();
    assertThat(sharer.server.connection(0)).isNotNull().isNotSameAs(pipe);
    assertThat(first.isOpen()).isFalse();
  }

  /** A long reply to the owner's client comes all the time, and the sharer's waits behind it. */
  @Test
  void shouldNotBlameAServerForTheTimeoutOfASharerThatItAnswersLater() {
    sharer.server.warmUp();
    runBoth();
    SharingLoop.Client owners = owner.new Client();
    SharingLoop.Client sharers = sharer.new Client();
    owners.get(silent, "long");
    runBoth();
    sharers.get(sharer.server.connection(0), "k");
    runBoth();
    answers(first, "VALUE long 0 1000000\r\n");
    for (long passed = 0; passed <= TIMEOUT; passed += SECOND) {
      answers(first, "x".repeat(1000));
      later(SECOND);
    }
    assertThat(sharers.got).asString().isEqualTo("! server s timed out\r\n");
    assertThat(sharer.server.recentNanos()).as("what counts against the server").isZero();
  }

  /** Its client takes a reply from time to time, and there is no memory to read on for others. */
  @Test
  void shouldNotWaitForAnOwnerThatIsPausedAgainAndAgain() {
    sharer.server.warmUp();
    runBoth();
    SharingLoop.Client owners = owner.new Client();
    SharingLoop.Client sharers = sharer.new Client();
    for (int i = 0; i < 5; i++) {
      owners.get(silent, "k");
    }
    runBoth();
    sharers.get(sharer.server.connection(0), "k");
    runBoth();
    owner.loop.buffered(50 << 20);
    for (int i = 0; i < 5; i++) {
      assertThat(sharers.got).as("after %s timeouts", i).isEmpty();
      owners.full(true);
      answers(first, "END\r\n");
      assertThat(first.config().isAutoRead()).isFalse();
      later(TIMEOUT - SECOND);
      owners.full(false);
      runBoth();
      assertThat(first.config().isAutoRead()).isTrue();
      later(SECOND);
    }
    owner.loop.buffered(-(50 << 20));
    assertThat(sharers.got).asString().isEqualTo("! server s timed out\r\n");
  }

  @Test
  void shouldSendNothingWhileTheCheckOfASharerIsNotAnswered() {
    sharer.server.warmUp();
    runBoth();
    later(PROBE_AFTER + 1);
    waits(sharer);
    assertThat(asked(first)).isEqualTo(CHECK);

    Waiting waiting = waits(owner);

    assertThat(asked(first)).as("the owner waits for the answer to the same check").isEmpty();
    answers(first, VERSION);
    assertThat(waiting.changes).isEqualTo(1);
    assertThat(owner.server.connection(0)).isSameAs(silent);
    assertThat(sharer.server.connection(0)).isNotNull();
  }

  @Test
  void shouldCheckASilentConnectionBeforeASharerUsesItForTheFirstTime() {
    later(PROBE_AFTER + 1);

    waits(sharer);
    waits(sharer);

    assertThat(asked(first)).isEqualTo(CHECK);
    answers(first, VERSION);
    assertThat(sharer.server.connection(0)).isNotNull();
  }

  @Test
  void shouldRefuseSharersWhileNeitherConnectionWorks() {
    later(PROBE_AFTER + 1);
    waits(owner);
    later(QUEUE_TIMEOUT / 4 + 1);
    attempts.remove().fail("refused");
    runBoth();

    assertThat(sharer.server.connection(0)).isNull();
    runBoth();

    assertThat(sharer.server.unavailable()).contains("is unreachable");
    answers(first, VERSION);
    assertThat(sharer.server.unavailable()).isNull();
    runBoth();
    assertThat(sharer.server.connection(0)).isNotNull();
  }

  @Test
  void shouldTellSharersWhenNeitherConnectionWorks() {
    sharer.server.warmUp();
    runBoth();
    later(PROBE_AFTER + 1);
    Waiting waiting = waits(sharer);
    later(QUEUE_TIMEOUT / 4 + 1);

    attempts.remove().fail("refused");
    runBoth();

    assertThat(waiting.changes).isPositive();
    assertThat(sharer.server.connection(0)).isNull();
    runBoth();
    assertThat(sharer.server.unavailable()).contains("is unreachable");
    assertThat(waiting.tooLate).isNull();
  }

  @Test
  void shouldCarryOutAWriteOfASharerThatIsOnItsWayWhenAnotherConnectionTakesThePlace() {
    sharer.server.warmUp();
    runBoth();
    ServerConnection pipe = sharer.server.connection(0);
    assertThat(pipe).isNotNull();
    later(PROBE_AFTER + 1);
    waits(owner);
    assertThat(asked(first)).isEqualTo(CHECK);
    later(QUEUE_TIMEOUT / 4 + 1);
    EmbeddedChannel second = connected();
    SharingLoop.Client client = sharer.new Client();
    client.ask(pipe, Command.SET, ReplyKind.STORED, "k", "set k 0 0 1\r\nx\r\n");
    sharer.run(); // it is in the owner's mailbox now

    answers(second, VERSION);

    assertThat(asked(first)).isEqualTo("set k 0 0 1\r\nx\r\n");
    answers(first, VERSION + "STORED\r\n");
    assertThat(client.got).hasToString("STORED\r\n");
    runBoth();
    assertThat(first.isOpen()).isFalse();
  }
}
