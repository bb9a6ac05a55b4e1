package sluice.gateway.server.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.server.connection.ServerConnection;
import sluice.names.Command;

/** Connections that two event loops use, whose server was silent for a while. */
class SilentSharedConnectionsTest extends SilentServerTest {
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

  /** A client of the sharer was inside a request during the reload. */
  @Test
  void shouldUseANewConnectionToARemovedServerForASharer() {
    sharer.server.warmUp();
    runBoth();
    later(PROBE_AFTER + 1);
    Waiting waiting = waits(sharer);
    owner.server.retire();
    sharer.server.retire();
    runBoth();
    sharer.server.await(waiting);
    int woken = waiting.changes;

    later(QUEUE_TIMEOUT / 4 + 1);
    answers(connected(), VERSION);

    assertThat(waiting.changes).isGreaterThan(woken);
    assertThat(waiting.tooLate).isNull();
    assertThat(sharer.server.connection(0)).as("it asks the owner").isNull();
    runBoth();
    assertThat(sharer.server.connection(0)).isNotNull();
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
