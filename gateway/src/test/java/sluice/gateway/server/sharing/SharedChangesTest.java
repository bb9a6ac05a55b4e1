package sluice.gateway.server.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.server.connection.ServerConnection;
import sluice.names.Command;
import sluice.testkit.ExpectedErrors;

/**
 * Changes through another event loop's connection, behind a reply that the server sends for a long
 * time, and that no client waits for.
 */
class SharedChangesTest {
  private static final long MILLI = 1_000_000;
  private static final long NEVER = TimeUnit.HOURS.toNanos(1);
  private static final long TIMEOUT = 500 * MILLI;
  private static final int LENGTH = 1000;
  private static final String SET = "set k 0 0 1\r\nv\r\n";

  private long nanos = TimeUnit.DAYS.toNanos(1);
  private final TwoLoops loops =
      new TwoLoops(
          SharingLoop.settings(TIMEOUT, NEVER, NEVER),
          () -> nanos,
          (address, attempt) -> attempt.fail("there is no network"));
  private final SharingLoop owner = loops.owner;
  private final SharingLoop sharer = loops.sharer;
  private SharingLoop.Socket socket;
  private SharingLoop.Client client; // the sharer's
  private ServerConnection pipe;

  @BeforeEach
  void begin() {
    socket = owner.socket(0);
    sharer.server.warmUp();
    runBoth();
    pipe = sharer.server.connection(0);
    assertThat(pipe).isNotNull();

    SharingLoop.Client gone = owner.new Client();
    gone.get(socket.connection, "h");
    runBoth();
    client = sharer.new Client();
    client.ask(pipe, Command.SET, ReplyKind.STORED, "k", SET);
    runBoth();
    assertThat(socket.asked()).isEqualTo("get h\r\n" + SET);
    gone.leaves();
    socket.answer("VALUE h 0 " + LENGTH + "\r\n");
  }

  private void runBoth() {
    loops.run(List.of(socket));
  }

  private void later(long millis) {
    nanos += millis * MILLI;
    loops.sweep();
    runBoth();
  }

  /** More than two timeouts pass, in which the server sends some of the value. */
  private int sendsForTwoTimeouts() {
    int sent = 0;
    while (sent < 6) {
      later(180);
      socket.answer("x");
      sent++;
    }
    return sent;
  }

  @AfterEach
  void shouldHoldNothing() {
    loops.close(List.of(socket));
  }

  /** Its client was told: nothing observes any more whether the server carries it out. */
  @Test
  void shouldNotBeCarriedOutLongAfterTheirTimeout() {
    sendsForTwoTimeouts();
    assertThat(client.got.toString()).isEqualTo("! server s timed out\r\n");
    assertThat(pipe.isOpen()).isFalse();
    later(20);
    assertThat(socket.isOpen()).isFalse();
  }

  /** Its loop asks once, and would wait for ever. */
  @Test
  void shouldHearOfTheOwnersServerAfterAnErrorOfTheProgramThere() throws Exception {
    SharingLoop.Client broken = owner.new Client();
    broken.breaks = true;
    broken.get(socket.connection, "b");
    runBoth();
    nanos += 600 * MILLI;
    socket.answer("x");
    pipe.fail("of itself");
    runBoth();

    ExpectedErrors.of("a connection is closed because of an internal error")
        .during(
            () -> {
              sharer.server.warmUp();
              runBoth();
            });

    assertThat(sharer.server.unavailable()).contains("server s is unreachable");
    broken.leaves();
  }

  @Test
  void shouldBeCarriedOutWhenTheirClientIsGone() {
    client.leaves();
    int sent = sendsForTwoTimeouts();
    socket.answer("x".repeat(LENGTH - sent) + "\r\nEND\r\n");
    later(20); // the server has only now begun with the change
    assertThat(socket.isOpen()).isTrue();
    socket.answer("STORED\r\n");
    later(20);
    runBoth();
    assertThat(pipe.inFlight()).isZero();
    assertThat(socket.isOpen()).as("others use another connection").isFalse();
  }
}
