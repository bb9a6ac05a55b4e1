package sluice.gateway.listen;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.client.Connected;
import sluice.gateway.dispatch.policy.HalfClosableChannel;
import sluice.gateway.metrics.DropReason;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.Suppression;
import sluice.names.Command;

/** A client that leaves, by itself or because it must: its socket, requests and replies. */
class LeavingClientTest {
  private static final String REQUEST = "mn\r\n";
  private static final String REPLY = "MN\r\n";
  private static final String LATE = "END\r\n";

  private final HalfClosableChannel channel = new HalfClosableChannel();
  private long now;
  private final SocketlessClients clients =
      new SocketlessClients("maxAge: 1m, idle: 5m", () -> now, TimeUnit.HOURS.toNanos(1));
  private final Connected client = clients.connect(channel);

  /** A request that was sent on, and whose reply is late. */
  private PendingReply sentOn() {
    return client.client().newReply(Command.GET, ReplyKind.VALUES, Suppression.NOTHING);
  }

  private void answer(PendingReply late) {
    client.client().answer(late, Unpooled.copiedBuffer(LATE, US_ASCII));
  }

  private void asks() {
    SocketlessClients.arrives(channel, REQUEST);
  }

  /** A request is sent on, and another must wait until it is answered. */
  private PendingReply asksBehindOneSentOn() {
    PendingReply late = sentOn();
    client.client().waitsForAll();
    asks();
    return late;
  }

  private void endsInput() {
    channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
  }

  private void pass(long seconds) {
    now += TimeUnit.SECONDS.toNanos(seconds);
    clients.loop().tick();
    client.connection().sweep(-1);
  }

  private String told() {
    return clients.told(channel);
  }

  private long dropped(DropReason reason) {
    return clients.metrics().requestsDropped(reason);
  }

  private void assertGone() {
    clients.runTasks(channel);
    assertThat(channel.isOpen()).isFalse();
    assertThat(clients.isEmpty()).isTrue();
  }

  @AfterEach
  void close() {
    clients.close();
  }

  // --- by itself ------------------------------------------------------------------------------

  @Test
  void shouldGetAllRepliesAfterItsInputHasEnded() {
    PendingReply late = asksBehindOneSentOn();
    endsInput();
    assertThat(told()).isEmpty();
    assertThat(channel.isOpen()).isTrue();
    answer(late);
    assertThat(told()).isEqualTo(LATE + REPLY);
    assertGone();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "g", "get k", "set k 0 0 5\r\nab"})
  void shouldBeClosedOnceItsInputHasEndedAndAllIsAnswered(String begun) {
    SocketlessClients.arrives(channel, REQUEST + begun);
    assertThat(channel.isOpen()).isTrue();
    endsInput();
    assertThat(told()).isEqualTo(REPLY);
    assertGone();
  }

  @Test
  void shouldHaveItsRequestsCarriedOutAfterItHasClosed() {
    PendingReply late = asksBehindOneSentOn();
    channel.close();
    clients.runTasks(channel);
    assertThat(clients.isEmpty()).isFalse();
    answer(late);
    assertGone();
    for (DropReason reason : DropReason.values()) {
      assertThat(dropped(reason)).as(reason.name()).isZero();
    }
  }

  @Test
  void shouldBeGoneAtOnceIfItClosesWhileNothingIsToBeSentOn() {
    sentOn();
    channel.close();
    assertGone();
  }

  @Test
  void shouldHaveItsRequestsReadToTheEndAfterItsOutputIsShut() {
    PendingReply late = asksBehindOneSentOn();
    channel.pipeline().fireUserEventTriggered(ChannelOutputShutdownEvent.INSTANCE);
    clients.runTasks(channel);
    assertThat(channel.isOpen()).isTrue();
    asks();
    answer(late);
    assertThat(told()).isEmpty();
    assertThat(channel.isOpen()).isTrue();
    endsInput();
    assertGone();
  }

  @Test
  void shouldBeClosedIfItsOutputIsShutAfterItsInput() {
    sentOn();
    endsInput();
    channel.pipeline().fireUserEventTriggered(ChannelOutputShutdownEvent.INSTANCE);
    assertGone();
  }

  @Test
  void shouldNotKeepItsRequestsForLongAfterItHasClosed() {
    asksBehindOneSentOn();
    channel.close();
    pass(29);
    assertThat(clients.isEmpty()).isFalse();
    pass(2);
    assertGone();
    assertThat(dropped(DropReason.TIMEOUT)).isEqualTo(1);
  }

  // --- because it must ------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldDropTheRequestsOfAClientThatIsCut(boolean hasClosed) {
    asksBehindOneSentOn();
    if (hasClosed) {
      channel.close();
    }
    client.connection().cut(DropReason.STOPPING);
    assertGone();
    assertThat(dropped(DropReason.STOPPING)).isEqualTo(1);
  }

  @Test
  void shouldBeClosedOnceItIsIdleAndTooOld() {
    pass(40);
    assertThat(channel.isOpen()).isTrue();
    pass(21);
    assertGone();
  }

  /** It is too old long before, but not between two requests. */
  @Test
  void shouldBeClosedIfItIsSilentInsideARequest() {
    SocketlessClients.arrives(channel, "set k 0 0 5\r\nab");
    pass(4 * 60);
    assertThat(channel.isOpen()).isTrue();
    pass(2 * 60);
    assertGone();
  }

  @Test
  void shouldLingerIfItIsTooOldAndNeverIdle() {
    PendingReply late = sentOn();
    pass(70);
    asks();
    assertThat(channel.isOpen()).as("it has not got its replies").isTrue();
    answer(late);
    assertThat(told()).as("what it sends later is dropped").isEqualTo(LATE);
    assertThat(channel.isOutputShutdown()).isTrue();
    assertThat(channel.isOpen()).as("it may be sending").isTrue();
    asks();
    assertThat(told()).isEmpty();
    endsInput();
    assertGone();
  }

  @Test
  void shouldNotLingerForLong() {
    PendingReply late = sentOn();
    pass(70);
    answer(late);
    assertThat(told()).isEqualTo(LATE);
    pass(1);
    assertThat(channel.isOpen()).isTrue();
    pass(2);
    assertGone();
  }
}
