package sluice.gateway.dispatch.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.gateway.dispatch.policy.SocketlessServer.found;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A share of the keys goes to another pool, and each key always to the same. */
class MigrateBackendTest {
  private final ScriptedPools pools =
      new ScriptedPools("{pool: own, migrate: {to: target, percent: 50%}}", "own", "target");
  private final SocketlessServer own = pools.server("own");
  private final SocketlessServer target = pools.server("target");
  private final SocketlessClient client = pools.client();

  @AfterEach
  void close() {
    pools.close();
  }

  /** Whether a key has moved; exactly one of the pools is asked for it. */
  private boolean hasMoved(String key) {
    client.sends("get " + key + "\r\n");
    String here = own.asked();
    String there = target.asked();
    assertThat(here + there).isEqualTo("get " + key + "\r\n");
    (here.isEmpty() ? target : own).answers("END\r\n");
    assertThat(client.told()).isEqualTo("END\r\n");
    return here.isEmpty();
  }

  private String key(boolean moved) {
    for (int i = 0; i < 100; i++) {
      if (hasMoved("k" + i) == moved) {
        return "k" + i;
      }
    }
    throw new AssertionError("no such key");
  }

  @Test
  void shouldSendEachKeyToOnePoolAndAboutTheShareToTheOther() {
    int moved = 0;
    for (int i = 0; i < 200; i++) {
      boolean has = hasMoved("k" + i);
      assertThat(hasMoved("k" + i)).isEqualTo(has);
      moved += has ? 1 : 0;
    }
    assertThat(moved).isBetween(70, 130);
  }

  @Test
  void shouldFailTheMovedKeysAloneWhenTheOtherPoolStalls() {
    String moved = key(true);
    String stays = key(false);
    SocketlessClient neighbour = pools.client();
    client.sends("get " + moved + "\r\nget " + stays + "\r\n");
    neighbour.sends("get " + stays + "\r\n");
    own.answers(found(stays, "1") + found(stays, "2"));
    assertThat(neighbour.told()).isEqualTo(found(stays, "2"));
    assertThat(client.told()).isEmpty(); // in order
    pools.pass(510);
    assertThat(client.told())
        .isEqualTo("SERVER_ERROR server target:1 timed out\r\n" + found(stays, "1"));
    own.asked();
    client.sends("get " + moved + "\r\n");
    target.answersLate(found(moved, "late"));
    assertThat(client.told()).isEmpty();
    target.answers(found(moved, "2"));
    assertThat(client.told()).isEqualTo(found(moved, "2"));
    assertThat(own.asked()).isEmpty();
  }

  /** The items are there and nowhere else: no pool answers for another. */
  @Test
  void shouldFailTheMovedKeysAloneWhenTheOtherPoolIsDown() {
    String moved = key(true);
    String stays = key(false);
    target.goesDown();
    client.sends("get " + moved + "\r\nget " + stays + "\r\n");
    assertThat(own.asked()).isEqualTo("get " + stays + "\r\n");
    own.answers("END\r\n");
    assertThat(client.told())
        .isEqualTo("SERVER_ERROR server target:1 is unreachable: connection refused\r\nEND\r\n");
  }

  @Test
  void shouldAskBothPoolsForAReadOfKeysOfBoth() {
    String moved = key(true);
    String stays = key(false);
    client.sends("get " + moved + " " + stays + "\r\n");
    assertThat(target.asked()).isEqualTo("get " + moved + "\r\n");
    assertThat(own.asked()).isEqualTo("get " + stays + "\r\n");
    own.answers(found(stays, "s"));
    target.answers(found(moved, "m"));
    assertThat(client.told()).isEqualTo("VALUE " + moved + " 0 1\r\nm\r\n" + found(stays, "s"));
  }

  @Test
  void shouldLeaveNothingOfAClientThatHasGoneAndNoNeighbourWithout() {
    String moved = key(true);
    SocketlessClient neighbour = pools.client();
    pools.repeat(
        () -> {
          SocketlessClient leaving = pools.client();
          leaving.sends("get " + moved + "\r\n");
          neighbour.sends("get " + moved + "\r\n");
          leaving.leaves();
          target.answers(found(moved, "1") + found(moved, "2"));
          assertThat(neighbour.told()).isEqualTo(found(moved, "2"));
          pools.pass(5);
        });
  }
}
