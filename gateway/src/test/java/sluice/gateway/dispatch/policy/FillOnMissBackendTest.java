package sluice.gateway.dispatch.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.gateway.dispatch.policy.SocketlessServer.found;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  /** Its connection is lost: it is a read as any other, and the pool's retries apply. */
  @Test
  void shouldRetryAReadWhoseConnectionIsLost() {
    try (ScriptedPools retries =
        new ScriptedPools(
            "{warmUp: {cold: cold, warm: warm}}", "cold: retries: {max: 1}", "warm")) {
      SocketlessServer lost = retries.server("cold");
      SocketlessClient reader = retries.client();
      reader.sends("get k\r\n");
      assertThat(lost.asked()).isEqualTo("get k\r\n");
      lost.closesConnections();
      retries.run();
      assertThat(lost.asked()).isEqualTo("get k\r\n");
      lost.answers(found("k", "v"));
      assertThat(reader.told()).isEqualTo(found("k", "v"));
      reader.sends("touch k 0\r\n");
      assertThat(lost.asked()).isEqualTo("touch k 0\r\n");
      lost.closesConnections();
      retries.run();
      assertThat(lost.asked()).isEmpty();
      assertThat(reader.told()).isEqualTo("SERVER_ERROR server cold:1 closed the connection\r\n");
    }
  }

  /** Otherwise requests that came later fill the connection again, each time. */
  @Test
  void shouldReadTheWarmPoolBeforeRequestsThatWaitBehindIt() {
    String rules = "{match: {prefix: w}, pool: warm}, {warmUp: {cold: cold, warm: warm}}";
    try (ScriptedPools shared = new ScriptedPools(rules, "cold", "warm")) {
      SocketlessServer filled = shared.server("cold");
      SocketlessServer full = shared.server("warm");
      SocketlessClient fills = shared.client();
      SocketlessClient later = shared.client();
      later.sends("get w\r\n");
      assertThat(full.asked()).isEqualTo("get w\r\n");
      full.answers("END\r\n");
      assertThat(later.told()).isEqualTo("END\r\n");
      full.accepts(false);
      fills.sends("get k\r\n");
      filled.answers("END\r\n");
      shared.run();
      later.sends("get w\r\n");
      assertThat(full.asked()).isEmpty();
      full.accepts(true);
      shared.run();
      String asked = full.asked();
      assertThat(asked).startsWith("mg k ").endsWith("\r\nget w\r\n");
      full.answers("EN" + SocketlessServer.opaque(asked) + "\r\nEND\r\n");
      assertThat(fills.told()).isEqualTo("END\r\n");
      assertThat(later.told()).isEqualTo("END\r\n");
    }
  }

  /** What fills it is answered behind them on the same connection, which must be read. */
  @Test
  void shouldFillAMissBeforeALargeReplyThatWaitsForIt() {
    String large = found("l", "v".repeat(2 << 20));
    client.sends("get k\r\nget l\r\n");
    assertThat(cold.asked()).isEqualTo("get k\r\nget l\r\n");
    cold.answers("END\r\n");
    pools.run();
    warm.answers("VA 1 t60 f5" + SocketlessServer.opaque(warm.asked()) + "\r\nw\r\n");
    pools.run();
    String opaque = SocketlessServer.opaque(cold.asked());
    cold.answers(large);
    cold.answers("HD" + opaque + "\r\n");
    pools.run();
    assertThat(cold.asked()).isEqualTo("get k\r\n");
    cold.answers(found("k", "w"));
    assertThat(client.told()).isEqualTo(found("k", "w") + large);
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

  /** A counter that may be created is not there; returns the opaque of the request. */
  private String findsNoCounter() {
    client.sends("ma n N0 J1 v\r\n");
    String asked = cold.asked();
    String opaque = SocketlessServer.opaque(asked);
    assertThat(asked).isEqualTo("ma n D1 v" + opaque + "\r\n");
    cold.answers("NF" + opaque + "\r\n");
    assertThat(client.told()).isEmpty();
    return opaque;
  }

  private String readsWarmCounter() {
    String asked = warm.asked();
    String opaque = SocketlessServer.opaque(asked);
    assertThat(asked).isEqualTo("mg n t v f" + opaque + "\r\n");
    return opaque;
  }

  @Test
  void shouldCountOnFromTheWarmPoolsNumber() {
    String first = findsNoCounter();
    warm.answers("VA 4 t-1 f0" + readsWarmCounter() + "\r\n1000\r\n");
    pools.run();
    String added = cold.asked();
    String opaque = SocketlessServer.opaque(added);
    assertThat(added).isEqualTo("ms n 4 ME" + opaque + "\r\n1000\r\n");
    cold.answers("HD" + opaque + "\r\n");
    pools.run();
    assertThat(cold.asked()).isEqualTo("ma n D1 N0 J1 v" + first + "\r\n");
    cold.answers("VA 4" + first + "\r\n1001\r\n");
    assertThat(client.told()).isEqualTo("VA 4\r\n1001\r\n");
  }

  @Test
  void shouldCreateACounterThatNeitherPoolHas() {
    String first = findsNoCounter();
    warm.answers("EN" + readsWarmCounter() + "\r\n");
    pools.run();
    assertThat(cold.asked()).isEqualTo("ma n D1 N0 J1 v" + first + "\r\n");
    cold.answers("VA 1" + first + "\r\n1\r\n");
    assertThat(client.told()).isEqualTo("VA 1\r\n1\r\n");
  }

  /** It would begin anew. */
  @Test
  void shouldNotCreateACounterThatTheWarmPoolMayHave() {
    findsNoCounter();
    readsWarmCounter();
    warm.answers("SERVER_ERROR out of memory\r\n");
    assertThat(client.told()).isEqualTo("NF\r\n");
    findsNoCounter();
    warm.answers("VA 4 t-1 f0" + readsWarmCounter() + "\r\n1000\r\n");
    pools.run();
    assertThat(cold.asked()).startsWith("ms n 4 ");
    cold.answers("SERVER_ERROR out of memory storing object\r\n");
    assertThat(client.told()).isEqualTo("NF\r\n");
    warm.goesDown();
    client.sends("ma n N0 J1 v\r\n");
    cold.answers("NF" + SocketlessServer.opaque(cold.asked()) + "\r\n");
    assertThat(client.told()).isEqualTo("NF\r\n");
    assertThat(cold.asked()).isEmpty();
  }

  /** Whether the server has created it is not known, and a miss would say that it has not. */
  @Test
  void shouldFailWhenTheCreationOfACounterFails() {
    String first = findsNoCounter();
    warm.answers("EN" + readsWarmCounter() + "\r\n");
    pools.run();
    assertThat(cold.asked()).isEqualTo("ma n D1 N0 J1 v" + first + "\r\n");
    pools.pass(510);
    assertThat(client.told()).isEqualTo("SERVER_ERROR server cold:1 timed out\r\n");
  }

  /** Its servers are too old for meta: it never fills anything, so nothing would be lost. */
  @Test
  void shouldCreateACounterWhenTheWarmPoolCannotBeAsked() {
    pools.server("warm", "1.6.9");
    String first = findsNoCounter();
    assertThat(warm.asked()).isEmpty();
    assertThat(cold.asked()).isEqualTo("ma n D1 N0 J1 v" + first + "\r\n");
    cold.answers("VA 1" + first + "\r\n1\r\n");
    assertThat(client.told()).isEqualTo("VA 1\r\n1\r\n");
    client.sends("get k\r\n");
    assertThat(cold.asked()).isEqualTo("get k\r\n");
    cold.answers("END\r\n");
    assertThat(client.told()).isEqualTo("END\r\n");
  }

  /** A later change must not be carried out before the counter is there. */
  @Test
  void shouldCreateACounterBeforeTheClientsNextChange() {
    client.sends("ma n N0 J1 v\r\nset n 0 0 1\r\n7\r\n");
    String asked = cold.asked();
    String first = SocketlessServer.opaque(asked);
    assertThat(asked).isEqualTo("ma n D1 v" + first + "\r\n");
    cold.answers("NF" + first + "\r\n");
    pools.run();
    assertThat(cold.asked()).isEmpty();
    warm.answers("EN" + readsWarmCounter() + "\r\n");
    pools.run();
    assertThat(cold.asked()).isEqualTo("ma n D1 N0 J1 v" + first + "\r\n");
    cold.answers("VA 1" + first + "\r\n1\r\n");
    assertThat(client.told()).isEqualTo("VA 1\r\n1\r\n");
    assertThat(cold.asked()).isEqualTo("set n 0 0 1\r\n7\r\n");
    cold.answers("STORED\r\n");
    assertThat(client.told()).isEqualTo("STORED\r\n");
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

  /** Otherwise the next read would bring the warm pool's item back. */
  @Test
  void shouldExpireInBoth() {
    client.sends("touch k -1\r\n");
    assertThat(cold.asked()).isEqualTo("touch k -1\r\n");
    assertThat(warm.asked()).isEqualTo("touch k -1\r\n");
    cold.answers("NOT_FOUND\r\n");
    assertThat(client.told()).isEmpty();
    warm.answers("TOUCHED\r\n");
    assertThat(client.told()).isEqualTo("TOUCHED\r\n");
    client.sends("gat -1 k\r\n");
    assertThat(cold.asked()).isEqualTo("gat -1 k\r\n");
    assertThat(warm.asked()).isEqualTo("gat -1 k\r\n");
    cold.answers("END\r\n");
    assertThat(client.told()).isEmpty();
    warm.answers(found("k", "w"));
    assertThat(client.told()).isEqualTo(found("k", "w"));
  }

  /**
   * A change is still with the warm pool, on a connection that another client's request made stand
   * aside: a read that overtook it would bring the item back.
   */
  @ParameterizedTest
  @CsvSource({"delete k,DELETED", "gat -1 k,END"})
  void shouldReadTheWarmPoolBehindAChangeOnAnotherConnection(String written, String word) {
    String change = written + "\r\n";
    String reply = word + "\r\n";
    ScriptedPools shared =
        new ScriptedPools(
            "{match: {prefix: 'w:'}, pool: warm}, {warmUp: {cold: cold, warm: warm}}",
            "cold",
            "warm");
    try {
      SocketlessServer from = shared.server("warm");
      SocketlessServer to = shared.server("cold");
      SocketlessClient stalled = shared.client();
      SocketlessClient changes = shared.client();
      stalled.sends("get w:x\r\n");
      shared.pass(300);
      changes.sends(change + "get k\r\n");
      assertThat(from.asked()).isEqualTo("get w:x\r\n" + change);
      shared.pass(300);
      assertThat(stalled.told()).isEqualTo("SERVER_ERROR server warm:1 timed out\r\n");
      to.answers(reply + "END\r\n");
      shared.pass(20);
      assertThat(from.asked()).isEmpty();
      from.answersLate("END\r\n" + reply);
      assertThat(changes.told()).isEqualTo(reply);
      String asked = from.asked();
      String opaque = SocketlessServer.opaque(asked);
      assertThat(asked).isEqualTo("mg k t v f" + opaque + "\r\n");
      from.answers("EN" + opaque + "\r\n");
      assertThat(changes.told()).isEqualTo("END\r\n");
    } finally {
      shared.close();
    }
  }

  /** What is filled behind a later change of the same client would undo it. */
  @ParameterizedTest
  @CsvSource({"delete k,DELETED", "gat -1 k,END"})
  void shouldNotFillWhatItsClientChangedMeanwhile(String written, String word) {
    String change = written + "\r\n";
    String reply = word + "\r\n";
    client.sends("get k\r\n" + change);
    assertThat(cold.asked()).isEqualTo("get k\r\n" + change);
    assertThat(warm.asked()).isEqualTo(change);
    cold.answers("END\r\n");
    assertThat(client.told()).isEqualTo("END\r\n");
    assertThat(warm.asked()).isEmpty();
    cold.answers(reply);
    warm.answers(reply);
    assertThat(client.told()).isEqualTo(reply);
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

  /** It keeps its key, and its bytes until they are sent again. */
  @Test
  void shouldCountTheHeapOfARequestThatIsFilled() {
    for (int i = 0; i < 20; i++) { // all objects that it takes are there
      warm.answers("EN" + misses() + "\r\n");
      assertThat(client.told()).isEqualTo("END\r\n");
    }
    long before = pools.objects();
    String key = "k".repeat(200);
    client.sends("get " + key + "\r\n");
    cold.answers("END\r\n");
    pools.run();
    assertThat(pools.objects() - before).isGreaterThanOrEqualTo(2L * key.length());
    warm.answers("EN" + SocketlessServer.opaque(warm.asked()) + "\r\n");
    assertThat(client.told()).isEqualTo("END\r\n");
    assertThat(pools.objects()).isEqualTo(before);
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
