package sluice.gateway.server.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;
import sluice.gateway.server.health.ServerStatus;

/** Connections of one event loop whose server was silent for a while. */
class SilentConnectionsTest extends SilentServerTest {
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

  /** A client that was inside a request during the reload still needs the former server. */
  @Test
  void shouldUseANewConnectionToAServerThatAReloadHasRemoved() {
    later(PROBE_AFTER + 1);
    Waiting waiting = waits(owner);
    owner.server.retire();
    runBoth();
    assertThat(waiting.changes).as("it looks for another server").isEqualTo(1);
    owner.server.await(waiting);
    later(QUEUE_TIMEOUT / 4 + 1);
    assertThat(attempts).hasSize(1);

    answers(connected(), VERSION);

    assertThat(waiting.changes).isEqualTo(2);
    assertThat(owner.server.connection(0)).isNotNull().isNotSameAs(silent);
    assertThat(first.isOpen()).isFalse();
    assertThat(waiting.tooLate).isNull();
  }

  @Test
  void shouldNotConnectAgainToARemovedServerThatNoRequestNeeds() {
    later(PROBE_AFTER + 1);
    Waiting waiting = waits(owner);
    owner.server.retire();
    runBoth();
    assertThat(waiting.changes).as("it has found another server").isEqualTo(1);

    later(QUEUE_TIMEOUT / 4 + 1);

    assertThat(attempts).isEmpty();
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
}
