package sluice.gateway.server.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.config.model.DurationRange;
import sluice.config.model.HealthConfig;
import sluice.config.model.LimitsConfig;
import sluice.gateway.server.health.PoolHealth;
import sluice.testkit.ExpectedErrors;

/** Shared connections that are lost, by errors of the program too, and what becomes of replies. */
class LostSharedConnectionTest extends SharingTest {
  /** Replies that came before a connection was lost are those of requests that were answered. */
  @Test
  void shouldHandOverWhatCameBeforeABrokenReply() throws Exception {
    begin(LONG, LONG);
    for (int i = 0; i < 3; i++) {
      sharers.get(pipe, "g" + i);
    }
    runBoth();
    socket.answer(found("g0", "x") + found("g1", "y") + "nonsense\r\n");
    runBoth();
    socket.runPendingTasks();
    runBoth();
    assertThat(sharers.got.toString()).startsWith(found("g0", "x") + found("g1", "y") + "! ");
    assertThat(sharers.waiting).isEmpty();
  }

  @Test
  void shouldForgetWhatAGuestHadYetToReadWhenItGoes() {
    begin(LONG, LONG);
    for (int i = 0; i < 3; i++) {
      sharers.get(pipe, "g" + i);
    }
    runBoth();
    sharers.full(true);
    socket.answer(found("g0", "x"));
    sharer.run();
    socket.answer(found("g1", "y")); // which the sharer does not read
    sharer.run();
    assertThat(sharer.loop.memory().total()).isPositive();
    pipe.fail("of itself");
    runBoth();
    sharers.full(false);
    assertThat(sharers.waiting).isEmpty();
    socket.answer(found("g2", "z")); // which no client waits for
    owners.get(socket.connection, "h");
    runBoth();
    socket.answer(found("h", "x"));
    assertThat(owners.got.toString()).isEqualTo(found("h", "x"));
  }

  /** What had come before the connection ended was put off for a client that did not take it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldDeliverWhatWasPutOffForASlowClientWhenTheServerCloses(boolean ofSharer) {
    begin(LONG, LONG);
    SharingLoop.Client client = ofSharer ? sharers : owners;
    for (String key : List.of("a", "b", "c", "d")) {
      client.getGrown(ofSharer ? pipe : socket.connection, key);
    }
    runBoth();
    assertThat(socket.asked()).contains("get d\r\n");
    client.full(true);
    socket.answer(found("a", "x") + found("b", "y") + found("c", "z"));
    runBoth();
    socket.close();
    runBoth();
    client.full(false);
    assertThat(pipe.isAccepting()).as("a request may take it for open").isFalse();
    runBoth();
    assertThat(client.got.toString())
        .startsWith(found("a", "x!") + found("b", "y!") + found("c", "z!") + "! ")
        .contains("closed the connection");
    assertThat(client.waiting).isEmpty();
  }

  /** It is an error of the program, and not taken for that of a socket. */
  @Test
  void shouldCloseThePipeWhenARequestCannotBePutIntoIt() throws Exception {
    ExpectedErrors.of("a connection is closed because of an internal error")
        .during(
            () -> {
              begin(LONG, LONG);
              sharers.get(pipe, "g");
              loops.allocator.exhausted(true);
              sharer.run();
              loops.allocator.exhausted(false);
              runBoth();
            });
    assertThat(pipe.isOpen()).isFalse();
    assertThat(sharers.got.toString()).startsWith("! ");
    assertThat(socket.isOpen()).isTrue();
    assertThat(socket.asked()).isEmpty();
  }

  /** A request without its bytes would get the reply to the next one. */
  @Test
  void shouldCloseTheConnectionWhenAParcelCouldNotBeSentOn() throws Exception {
    ExpectedErrors.of("a connection is closed because of an internal error")
        .during(
            () -> {
              begin(LONG, LONG);
              sharers.get(pipe, "g");
              sharer.run();
              owners.get(socket.connection, "h");
              loops.allocator.exhausted(true);
              owner.run();
              loops.allocator.exhausted(false);
              runBoth();
              socket.runPendingTasks();
              runBoth();
              assertThat(socket.isOpen()).isFalse();
              assertThat(owners.got.toString()).startsWith("! ");
              assertThat(sharers.got.toString()).startsWith("! ");
            });
  }

  /** Otherwise its requests, and all that it still sends, would wait for their time to pass. */
  @Test
  void shouldTellASharerThatTheConnectionIsLostAlthoughPartOfAReplyCannotBePassedOn()
      throws Exception {
    begin(LONG, LONG);
    sharers.get(pipe, "g");
    runBoth();
    assertThat(socket.asked()).contains("get g\r\n");
    socket.answer("VALUE g 0 1");
    runBoth();
    ExpectedErrors.of("a connection is closed because of an internal error")
        .during(
            () -> {
              loops.allocator.exhausted(true);
              socket.close();
              loops.allocator.exhausted(false);
              runBoth();
            });
    assertThat(pipe.isOpen()).isFalse();
    assertThat(sharers.got.toString()).startsWith("! ").contains("closed the connection");
    assertThat(sharers.waiting).isEmpty();
  }

  /** Otherwise a gateway that is short of memory would eject its servers. */
  @Test
  void shouldNotCountAnErrorOfTheProgramAsAFailureOfTheServer() throws Exception {
    begin(LONG, LONG);
    DurationRange minute = new DurationRange(60_000, 60_000);
    HealthConfig atOnce = new HealthConfig(1, LimitsConfig.NEVER, 100, minute, 100, false);
    new PoolHealth("p", atOnce, List.of(loops.status), indices -> null).begin();
    owners.get(socket.connection, "h");
    runBoth();
    ExpectedErrors.of("a connection is closed because of an internal error")
        .during(
            () -> {
              socket.connection.broken(new IllegalStateException("of the test"));
              socket.runPendingTasks();
              runBoth();
            });
    assertThat(socket.isOpen()).isFalse();
    assertThat(owners.got.toString()).isEqualTo("! server s closed the connection\r\n");
    assertThat(loops.status.health().isEjected()).isFalse();
  }
}
