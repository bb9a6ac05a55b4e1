package sluice.gateway.dispatch.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.gateway.dispatch.policy.SocketlessServer.found;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A key whose server accepts no requests, and the pool that stands in for it. */
class FailoverBackendTest {
  private final ScriptedPools pools =
      new ScriptedPools("{pool: own, failover: [gutter]}", "own", "gutter");
  private final SocketlessServer own = pools.server("own");
  private final SocketlessServer gutter = pools.server("gutter");
  private final SocketlessClient client = pools.client();

  @AfterEach
  void close() {
    pools.close();
  }

  @Test
  void shouldAskItsOwnPoolAloneAsLongAsThatTakesRequests() {
    client.sends("get k\r\n");
    assertThat(own.asked()).isEqualTo("get k\r\n");
    own.answers("END\r\n");
    assertThat(client.told()).isEqualTo("END\r\n");
    assertThat(gutter.asked()).isEmpty();
  }

  @Test
  void shouldAskTheOtherOnceTheServerCannotBeReachedAndItsOwnOnceItCan() {
    own.goesDown();
    client.sends("get k\r\n");
    assertThat(gutter.asked()).isEqualTo("get k\r\n");
    gutter.answers(found("k", "g"));
    assertThat(client.told()).isEqualTo(found("k", "g"));
    own.comesBack();
    pools.pass(1100); // probeAfter
    client.sends("get k\r\n");
    assertThat(gutter.asked()).isEmpty();
    assertThat(own.asked()).isEqualTo("get k\r\n");
    own.answers(found("k", "o"));
    assertThat(client.told()).isEqualTo(found("k", "o"));
  }

  /** Nothing tells whether a lost request was done: it is not done again elsewhere. */
  @Test
  void shouldFailWhatWasOnALostConnection() {
    client.sends("set k 0 0 1\r\nv\r\n");
    assertThat(own.asked()).isEqualTo("set k 0 0 1\r\nv\r\n");
    own.goesDown();
    assertThat(client.told()).isEqualTo("SERVER_ERROR server own:1 closed the connection\r\n");
    assertThat(gutter.asked()).isEmpty();
    client.sends("get k\r\n");
    assertThat(gutter.asked()).isEqualTo("get k\r\n");
    gutter.answers("END\r\n");
    assertThat(client.told()).isEqualTo("END\r\n");
  }

  @Test
  void shouldFailARequestThatIsNotAnsweredAndDropItsLateReply() {
    client.sends("get k\r\n");
    pools.pass(510);
    assertThat(client.told()).isEqualTo("SERVER_ERROR server own:1 timed out\r\n");
    assertThat(gutter.asked()).isEmpty();
    client.sends("get l\r\n");
    own.answersLate(found("k", "late"));
    assertThat(client.told()).isEmpty();
    own.answers(found("l", "own"));
    assertThat(client.told()).isEqualTo(found("l", "own"));
  }

  @Test
  void shouldFailWithItsOwnPoolsReasonWhenNoneCanBeReached() {
    own.goesDown();
    gutter.goesDown();
    client.sends("get k\r\n");
    assertThat(client.told())
        .isEqualTo("SERVER_ERROR server own:1 is unreachable: connection refused\r\n");
  }

  @Test
  void shouldLeaveNothingOfAClientThatHasGoneAndNoNeighbourWithout() {
    SocketlessClient neighbour = pools.client();
    own.goesDown();
    pools.repeat(
        () -> {
          SocketlessClient leaving = pools.client();
          leaving.sends("get k\r\n");
          neighbour.sends("get n\r\n");
          leaving.leaves();
          gutter.answers(found("k", "k") + found("n", "n"));
          assertThat(neighbour.told()).isEqualTo(found("n", "n"));
          assertThat(leaving.told()).isEmpty();
          pools.pass(5);
        });
  }
}
