package sluice.gateway.dispatch.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.gateway.dispatch.policy.SocketlessServer.found;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Misses of a cold pool that are filled from a warm one. */
class FillOnMissBackendTest {
  private final ScriptedPools pools =
      new ScriptedPools("{warmUp: {cold: cold, warm: warm}}", "cold", "warm");
  private final SocketlessServer cold = pools.server("cold");
  private final SocketlessServer warm = pools.server("warm");
  private final SocketlessClient client = pools.client();
  private boolean added; // by the request that is being filled

  @AfterEach
  void close() {
    pools.close();
  }

  /** A miss has been found, and the warm pool is asked: with the opaque that is returned. */
  private String misses() {
    client.sends("get k\r\n");
    assertThat(cold.asked()).isEqualTo("get k\r\n");
    cold.answers("END\r\n");
    assertThat(client.told()).isEmpty();
    String asked = warm.asked();
    String opaque = SocketlessServer.opaque(asked);
    assertThat(asked).isEqualTo("mg k t v f" + opaque + "\r\n");
    return opaque;
  }

  @Test
  void shouldAnswerAHitFromTheColdPoolAlone() {
    client.sends("get k\r\n");
    cold.answers(found("k", "c"));
    assertThat(client.told()).isEqualTo(found("k", "c"));
    assertThat(warm.asked()).isEmpty();
  }

  @Test
  void shouldAddWhatTheWarmPoolHasAndAskAgain() {
    warm.answers("VA 1 t60 f5" + misses() + "\r\nw\r\n");
    pools.run();
    String added = cold.asked();
    String opaque = SocketlessServer.opaque(added);
    assertThat(added).isEqualTo("ms k 1 ME F5 T60" + opaque + "\r\nw\r\n");
    cold.answers("HD" + opaque + "\r\n");
    pools.run();
    assertThat(cold.asked()).isEqualTo("get k\r\n");
    cold.answers("VALUE k 5 1\r\nw\r\nEND\r\n");
    assertThat(client.told()).isEqualTo("VALUE k 5 1\r\nw\r\nEND\r\n");
  }

  @Test
  void shouldAnswerTheMissWhenTheWarmPoolMissesFailsOrStalls() {
    warm.answers("EN" + misses() + "\r\n");
    assertThat(client.told()).isEqualTo("END\r\n");
    misses();
    warm.answers("SERVER_ERROR out of memory\r\n");
    assertThat(client.told()).isEqualTo("END\r\n");
    String opaque = misses();
    pools.pass(510);
    assertThat(client.told()).isEqualTo("END\r\n");
    client.sends("get l\r\n");
    warm.answersLate("VA 1 t-1 f0" + opaque + "\r\nx\r\n");
    cold.answers(found("l", "c"));
    assertThat(client.told()).isEqualTo(found("l", "c"));
    assertThat(cold.asked()).isEqualTo("get l\r\n"); // nothing was added
  }

  @Test
  void shouldAnswerTheMissWhenTheWarmPoolIsDown() {
    warm.goesDown();
    client.sends("get k\r\n");
    cold.answers("END\r\n");
    assertThat(client.told()).isEqualTo("END\r\n");
  }

  @Test
  void shouldFailWhenTheColdPoolFails() {
    client.sends("get k\r\n");
    pools.pass(510);
    assertThat(client.told()).isEqualTo("SERVER_ERROR server cold:1 timed out\r\n");
    cold.answersLate("END\r\n");
    pools.run();
    assertThat(warm.asked()).isEmpty();
  }

  @Test
  void shouldDeleteFromBoth() {
    client.sends("delete k\r\n");
    assertThat(cold.asked()).isEqualTo("delete k\r\n");
    assertThat(warm.asked()).isEqualTo("delete k\r\n");
    cold.answers("NOT_FOUND\r\n");
    assertThat(client.told()).isEmpty();
    warm.answers("DELETED\r\n");
    assertThat(client.told()).isEqualTo("DELETED\r\n");
  }

  /**
   * A delete is still with the warm pool, on a connection that another client's request made stand
   * aside: a read that overtook it would bring the item back.
   */
  @Test
  void shouldReadTheWarmPoolBehindADeleteOnAnotherConnection() {
    ScriptedPools shared =
        new ScriptedPools(
            "{match: {prefix: 'w:'}, pool: warm}, {warmUp: {cold: cold, warm: warm}}",
            "cold",
            "warm");
    try {
      SocketlessServer from = shared.server("warm");
      SocketlessServer to = shared.server("cold");
      SocketlessClient stalled = shared.client();
      SocketlessClient deletes = shared.client();
      stalled.sends("get w:x\r\n");
      shared.pass(300);
      deletes.sends("delete k\r\nget k\r\n");
      assertThat(from.asked()).isEqualTo("get w:x\r\ndelete k\r\n");
      shared.pass(300);
      assertThat(stalled.told()).isEqualTo("SERVER_ERROR server warm:1 timed out\r\n");
      to.answers("DELETED\r\nEND\r\n");
      shared.pass(20);
      assertThat(from.asked()).isEmpty();
      from.answersLate("END\r\nDELETED\r\n");
      assertThat(deletes.told()).isEqualTo("DELETED\r\n");
      String asked = from.asked();
      String opaque = SocketlessServer.opaque(asked);
      assertThat(asked).isEqualTo("mg k t v f" + opaque + "\r\n");
      from.answers("EN" + opaque + "\r\n");
      assertThat(deletes.told()).isEqualTo("END\r\n");
    } finally {
      shared.close();
    }
  }

  /** Reads that wait for nothing are not sent one after the other. */
  @Test
  void shouldReadTheWarmPoolForSeveralMissesAtOnce() {
    client.sends("delete d\r\nget k\r\nget l\r\n");
    cold.answers("DELETED\r\nEND\r\nEND\r\n");
    pools.run();
    String[] asked = warm.asked().split("(?<=\n)");
    assertThat(asked).hasSize(3); // on the connection of the delete
    String first = SocketlessServer.opaque(asked[1]);
    String second = SocketlessServer.opaque(asked[2]);
    warm.answers("DELETED\r\nEN" + first + "\r\nEN" + second + "\r\n");
    assertThat(client.told()).isEqualTo("DELETED\r\nEND\r\nEND\r\n");
  }

  @Test
  void shouldBoundTheTimesOfDeletesInBoth() {
    ScriptedPools bounded =
        new ScriptedPools("{warmUp: {cold: cold, warm: warm}, ttl: {max: 60s}}", "cold", "warm");
    try {
      SocketlessClient deletes = bounded.client();
      deletes.sends("md k I T900\r\nmd l x\r\n");
      for (String name : new String[] {"cold", "warm"}) {
        SocketlessServer server = bounded.server(name);
        String[] asked = server.asked().split("(?<=\n)");
        String first = SocketlessServer.opaque(asked[0]);
        String second = SocketlessServer.opaque(asked[1]);
        assertThat(asked)
            .as(name)
            .containsExactly("md k I T60" + first + "\r\n", "md l x T60" + second + "\r\n");
        server.answers("HD" + first + "\r\nHD" + second + "\r\n");
      }
      assertThat(deletes.told()).isEqualTo("HD\r\nHD\r\n");
    } finally {
      bounded.close();
    }
  }

  @Test
  void shouldLeaveNothingOfAClientThatHasGoneInEachStepAndNoNeighbourWithout() {
    SocketlessClient neighbour = pools.client();
    pools.repeat(
        () -> {
          for (int step = 0; step < 4; step++) {
            leaveIn(step, neighbour);
          }
        });
  }

  /** What the client had said is carried out as far as it was begun; each step is answered. */
  private void leaveIn(int step, SocketlessClient neighbour) {
    added = false;
    SocketlessClient leaving = pools.client();
    leaving.sends("get k\r\n");
    for (int i = 0; i < 4; i++) {
      if (i == step) {
        leaving.leaves();
      }
      answer(warm.asked());
      answer(cold.asked());
      pools.run();
    }
    neighbour.sends("get n\r\n");
    assertThat(cold.asked()).isEqualTo("get n\r\n");
    cold.answers(found("n", "c"));
    assertThat(neighbour.told()).isEqualTo(found("n", "c"));
    pools.pass(5);
  }

  /** Answers one step: a first get with a miss, and the one behind the add with the item. */
  private void answer(String asked) {
    if (asked.startsWith("mg ")) {
      warm.answers("VA 1 t-1 f0" + SocketlessServer.opaque(asked) + "\r\nw\r\n");
    } else if (asked.startsWith("ms ")) {
      added = true;
      cold.answers("HD" + SocketlessServer.opaque(asked) + "\r\n");
    } else if (!asked.isEmpty()) {
      cold.answers(added ? found("k", "w") : "END\r\n");
      added = false;
    }
  }
}
