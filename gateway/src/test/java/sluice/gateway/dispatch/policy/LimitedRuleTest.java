package sluice.gateway.dispatch.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.gateway.dispatch.policy.SocketlessServer.found;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A rule whose requests pass at a rate: what is over it is refused, and no server hears of it. */
class LimitedRuleTest {
  private static final String REFUSED =
      "SERVER_ERROR over the limit of 10 requests a second of route cache\r\n";

  private final ScriptedPools pools =
      new ScriptedPools("{pool: own, limit: {rate: 10, burst: 2}}", "own");
  private final SocketlessServer own = pools.server("own");
  private final SocketlessClient client = pools.client();

  @AfterEach
  void close() {
    pools.close();
  }

  private long limited() {
    return pools.metrics().limit("cache", 0).limited();
  }

  @Test
  void shouldRefuseWhatIsOverTheBurstAndPassMoreAsTimeGoesBy() {
    client.sends("get a\r\nget b\r\nget c\r\n");
    assertThat(own.asked()).isEqualTo("get a b\r\n"); // gets of one loop iteration are joined
    own.answers(found("a", "1"));
    assertThat(client.told()).isEqualTo(found("a", "1") + "END\r\n" + REFUSED);
    assertThat(limited()).isEqualTo(1);
    pools.pass(90);
    client.sends("get d\r\n");
    assertThat(client.told()).isEqualTo(REFUSED);
    pools.pass(20);
    client.sends("get e\r\nget f\r\n");
    assertThat(own.asked()).isEqualTo("get e\r\n");
    own.answers("END\r\n");
    assertThat(client.told()).isEqualTo("END\r\n" + REFUSED);
  }

  @Test
  void shouldCountEachKeyAndPassAllOrNone() {
    client.sends("get a\r\nget b c\r\nget d\r\n");
    assertThat(own.asked()).isEqualTo("get a d\r\n");
    own.answers("END\r\n");
    assertThat(client.told()).isEqualTo("END\r\n" + REFUSED + "END\r\n");
    assertThat(limited()).isEqualTo(2);
  }

  @Test
  void shouldReadOverTheValueOfARefusedRequestAndSayNothingWhereNoReplyIsWanted() {
    client.sends("get a\r\nget b\r\n");
    own.answers("END\r\n");
    assertThat(client.told()).isEqualTo("END\r\nEND\r\n");
    client.sends("set k 0 0 9\r\nget x\r\nab\r\nset k 0 0 1 noreply\r\nv\r\n");
    assertThat(client.told()).isEqualTo(REFUSED);
    own.asked();
    pools.pass(110);
    client.sends("get e\r\n");
    assertThat(own.asked()).isEqualTo("get e\r\n");
    own.answers(found("e", "1"));
    assertThat(client.told()).isEqualTo(found("e", "1"));
  }

  @Test
  void shouldCountRequestsThatFailOrStallAndThoseOfAllClientsTogether() {
    SocketlessClient neighbour = pools.client();
    client.sends("get a\r\n");
    neighbour.sends("get b\r\n");
    neighbour.sends("get c\r\n");
    own.answers("END\r\n");
    pools.pass(80); // not enough for another
    client.sends("get d\r\n");
    assertThat(client.told()).isEqualTo("END\r\n" + REFUSED);
    assertThat(neighbour.told()).isEmpty(); // its refusal waits for its first reply
    own.closesConnections();
    assertThat(neighbour.told())
        .isEqualTo("SERVER_ERROR server own:1 closed the connection\r\n" + REFUSED);
  }

  @Test
  void shouldLeaveNothingOfAClientThatHasGoneAndNoNeighbourWithout() {
    SocketlessClient neighbour = pools.client();
    pools.repeat(
        () -> {
          pools.pass(200); // a burst
          SocketlessClient leaving = pools.client();
          leaving.sends("get a\r\n");
          neighbour.sends("get n\r\n");
          leaving.sends("set k 0 0 5\r\nab");
          leaving.leaves();
          own.answers("END\r\n" + found("n", "1"));
          assertThat(neighbour.told()).isEqualTo(found("n", "1"));
          own.asked();
        });
  }
}
