package sluice.gateway.dispatch.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.gateway.dispatch.policy.SocketlessServer.found;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that go to several pools: which reply is the client's, and when. */
class CopyBackendTest {
  private static final String SET = "set k 0 0 1\r\nv\r\n";

  private ScriptedPools pools;
  private SocketlessServer east;
  private SocketlessServer west;
  private SocketlessServer north;
  private SocketlessClient client;

  private void start(String more) {
    pools =
        new ScriptedPools(
            "{replicate: {pools: [east, west, north]" + more + "}}", "east", "west", "north");
    east = pools.server("east");
    west = pools.server("west");
    north = pools.server("north");
    client = pools.client();
  }

  @AfterEach
  void close() {
    pools.close();
  }

  private void areAsked(String request) {
    for (SocketlessServer server : new SocketlessServer[] {east, west, north}) {
      assertThat(server.asked()).isEqualTo(request);
    }
  }

  @Test
  void shouldAcknowledgeAChangeThatAllHaveDone() {
    start("");
    client.sends(SET);
    areAsked(SET);
    west.answers("STORED\r\n");
    north.answers("STORED\r\n");
    assertThat(client.told()).isEmpty();
    east.answers("STORED\r\n");
    assertThat(client.told()).isEqualTo("STORED\r\n");
  }

  @Test
  void shouldAcknowledgeAChangeThatMostHaveDoneAndLetNothingOvertakeTheLast() {
    start(", acks: majority");
    client.sends(SET);
    west.answers("STORED\r\n");
    assertThat(client.told()).isEmpty();
    north.answers("STORED\r\n");
    assertThat(client.told()).isEqualTo("STORED\r\n");
    client.sends("get k\r\n");
    east.answers("STORED\r\n" + found("k", "v"));
    assertThat(client.told()).isEqualTo(found("k", "v"));
    west.answers(found("k", "w"));
    north.answers(found("k", "n"));
    assertThat(client.told()).isEmpty();
  }

  @Test
  void shouldNotAcknowledgeAChangeThatOneHasNotDone() {
    start("");
    north.goesDown();
    client.sends(SET);
    east.answers("STORED\r\n");
    assertThat(client.told()).isEmpty();
    west.answers("STORED\r\n");
    assertThat(client.told())
        .isEqualTo("SERVER_ERROR server north:1 is unreachable: connection refused\r\n");
  }

  @Test
  void shouldFailAChangeThatOneDoesNotAnswerAndDropItsLateReply() {
    start("");
    client.sends(SET);
    east.answers("STORED\r\n");
    west.answers("STORED\r\n");
    pools.pass(510);
    assertThat(client.told()).isEqualTo("SERVER_ERROR server north:1 timed out\r\n");
    client.sends("get k\r\n");
    north.answersLate("STORED\r\n");
    assertThat(client.told()).isEmpty();
    north.answers(found("k", "n"));
    assertThat(client.told()).isEqualTo(found("k", "n"));
  }

  @Test
  void shouldAcknowledgeByOneWhileAnotherStalls() {
    start(", acks: one");
    client.sends(SET);
    west.answers("STORED\r\n");
    assertThat(client.told()).isEqualTo("STORED\r\n");
    pools.pass(510);
    east.answersLate("STORED\r\n");
    north.answersLate("STORED\r\n");
    assertThat(client.told()).isEmpty();
  }

  @Test
  void shouldAnswerAReadWithTheFirstHitAndAMissOnlyWhenNoneHasTheItem() {
    start("");
    client.sends("get k\r\n");
    areAsked("get k\r\n");
    east.answers("END\r\n");
    assertThat(client.told()).isEmpty();
    west.answers(found("k", "w"));
    assertThat(client.told()).isEqualTo(found("k", "w"));
    north.answers(found("k", "n"));
    client.sends("get l\r\n");
    east.answers("SERVER_ERROR out of memory\r\n");
    north.answers("END\r\n");
    assertThat(client.told()).isEmpty();
    west.answers("SERVER_ERROR out of memory\r\n");
    assertThat(client.told()).isEqualTo("END\r\n");
  }

  /** As long as it comes, it counts against the client's window, and so do those behind it. */
  @Test
  void shouldEndTheConnectionOfADroppedReplyThatComesLittleByLittle() {
    start("");
    client.sends("get k\r\n");
    areAsked("get k\r\n");
    west.answers(found("k", "w"));
    assertThat(client.told()).isEqualTo(found("k", "w"));
    north.answers("END\r\n");
    east.answers("VALUE k 0 100\r\n");
    for (int i = 0; i < 3; i++) {
      pools.pass(300);
      east.answers("x");
    }
    pools.pass(90);
    assertThat(east.connections()).isOne();

    pools.pass(20); // twice the timeout is over

    assertThat(east.connections()).isZero();
    client.sends("get k\r\n");
    west.answers(found("k", "w"));
    assertThat(client.told()).isEqualTo(found("k", "w"));
  }

  /** Its client was told that it has failed: nothing waits until it is carried out. */
  @Test
  void shouldNotKeepTheConnectionOfADroppedReplyForAChangeThatHasTimedOut() {
    start("");
    client.sends("get k\r\n");
    areAsked("get k\r\n");
    west.answers(found("k", "w"));
    north.answers("END\r\n");
    assertThat(client.told()).isEqualTo(found("k", "w"));
    east.answers("VALUE k 0 100\r\n");
    pools.pass(300);
    east.answers("x"); // it is not silent
    client.sends(SET);
    areAsked(SET);
    west.answers("STORED\r\n");
    north.answers("STORED\r\n");
    pools.pass(300);
    east.answers("x");
    pools.pass(210);
    assertThat(client.told()).isEqualTo("SERVER_ERROR server east:1 timed out\r\n");
    pools.pass(180);
    assertThat(east.connections()).isEqualTo(2);

    pools.pass(30); // twice the timeout is over

    assertThat(east.connections()).isOne();
  }

  @Test
  void shouldAskOnePoolThatTakesRequestsForAReadOfTheNearest() {
    start(", reads: nearest");
    east.goesDown();
    client.sends("get k\r\n"); // finds out, and fails or goes elsewhere
    String asked = west.asked() + north.asked();
    assertThat(asked).isEqualTo("get k\r\n");
    west.answers(found("k", "w"));
    assertThat(client.told()).isEqualTo(found("k", "w"));
  }

  @Test
  void shouldLeaveAPoolForReadsOfTheNearestThatDoesNotAnswerInTime() {
    start(", reads: nearest");
    client.sends("get k\r\n");
    assertThat(east.asked()).isEqualTo("get k\r\n");
    pools.pass(510);
    assertThat(client.told()).isEqualTo("SERVER_ERROR server east:1 timed out\r\n");
    client.sends("get k\r\n");
    assertThat(east.asked()).isEmpty();
    assertThat(west.asked()).isEqualTo("get k\r\n");
  }

  /** Its server is that of the new name, not that of the name which the client wrote. */
  @Test
  void shouldAskForEachOfSeveralRenamedKeysWhereItsServerTakesRequests() {
    pools =
        new ScriptedPools(
            "{match: {prefix: 'a:'}, key: {strip: 'a:', add: 'b:'}, replicate: {pools: [east,"
                + " west]}}",
            "east: servers: ['e1:1', 'e2:1']",
            "west");
    east = pools.server("e1");
    west = pools.server("west");
    pools.server("e2").goesDown();
    client = pools.client();
    int elsewhere = 0;
    for (int i = 0; i < 40; i++) {
      client.sends("get a:" + i + " a:" + i + "\r\n");
      String asked = west.asked();
      SocketlessServer has = asked.isEmpty() ? east : west;
      elsewhere += asked.isEmpty() ? 0 : 1;
      assertThat(asked + east.asked()).isEqualTo("get b:" + i + " b:" + i + "\r\n");
      has.answers("END\r\n");
      assertThat(client.told()).isEqualTo("END\r\n");
    }
    assertThat(elsewhere).isBetween(1, 39);
  }

  /** Answers the one that was asked by meta, with a miss. */
  private void missesAtOne() {
    for (SocketlessServer server : new SocketlessServer[] {east, west, north}) {
      String asked = server.asked();
      if (!asked.isEmpty()) {
        server.answers("EN" + SocketlessServer.opaque(asked) + "\r\n");
      }
    }
    assertThat(client.told()).isEqualTo("EN\r\n");
  }

  /** A copy of it is kept, because the others get it if the item is stale. */
  @Test
  void shouldCountTheHeapOfAMetaReadOfTheNearest() {
    start(", reads: nearest");
    for (int i = 0; i < 20; i++) { // all objects that it takes are there
      client.sends("mg k v\r\n");
      missesAtOne();
    }
    long before = pools.objects();
    client.sends("mg k v\r\n");
    assertThat(pools.objects() - before).isGreaterThan(1000);
    missesAtOne();
    assertThat(pools.objects()).isEqualTo(before);
  }

  /**
   * The first pool decides which client writes the item, and has done the client's change first.
   */
  @ParameterizedTest
  @ValueSource(strings = {"all", "one"}) // with one, the client has the answer to its change before
  void shouldNotAskTheFirstPoolForAStaleItemBeforeItHasDoneTheClientsEarlierChange(String acks) {
    start(", reads: nearest, acks: " + acks);
    client.sends("get k\r\n");
    assertThat(east.asked()).isEqualTo("get k\r\n");
    pools.pass(100); // from now on another is nearer
    east.answers("END\r\n");
    SocketlessClient other = pools.client();
    other.sends("set o 0 0 1\r\nv\r\n");
    areAsked("set o 0 0 1\r\nv\r\n");
    west.answers("STORED\r\n");
    north.answers("STORED\r\n");
    pools.pass(300);
    client.sends("md k I T30\r\nmg k v\r\n");
    String deleted = SocketlessServer.opaque(east.asked());
    String[] asked = west.asked().split("\r\n");
    assertThat(asked).hasSize(2);
    pools.pass(250); // the set has timed out, so that others use another connection
    west.answers("HD" + SocketlessServer.opaque(asked[0] + "\r\n") + "\r\n");
    west.answers("VA 1 W X" + SocketlessServer.opaque(asked[1] + "\r\n") + "\r\nv\r\n");
    north.answers("HD" + SocketlessServer.opaque(north.asked()) + "\r\n");
    pools.pass(10); // it would be asked by a later task
    assertThat(east.asked()).isEmpty();
    east.answersLate("STORED\r\nHD" + deleted + "\r\n");
    pools.pass(10);
    String again = east.asked();
    assertThat(again).startsWith("mg k ");
    east.answers("VA 1 W X" + SocketlessServer.opaque(again) + "\r\nv\r\n");
    assertThat(client.told()).isEqualTo("END\r\nHD\r\nVA 1 W X\r\nv\r\n");
  }

  /** A get of several keys holds the whole of a copy. */
  @Test
  void shouldReadACopyThatIsLargerThanTheOutBuffer() {
    start("");
    String large = "v".repeat(3 << 20);
    client.sends("gat 9 a b\r\n");
    areAsked("gat 9 a\r\ngat 9 b\r\n");
    String replies = found("a", large) + found("b", "w");
    for (SocketlessServer server : new SocketlessServer[] {east, west, north}) {
      for (int from = 0; from < replies.length(); from += 1 << 20) {
        server.answers(replies.substring(from, Math.min(replies.length(), from + (1 << 20))));
      }
    }
    assertThat(client.told()).isEqualTo(found("a", large).replace("END\r\n", "") + found("b", "w"));
  }

  @Test
  void shouldRefuseACasWhichIsAnotherInEachPool() {
    start("");
    client.sends("cas k 0 0 1 7\r\nv\r\n");
    assertThat(client.told())
        .isEqualTo("CLIENT_ERROR unsupported: a cas, which differs between pools\r\n");
    areAsked("");
  }

  @Test
  void shouldFailWhatTheOnlyOneThatAnswersRefuses() {
    start(", acks: one");
    east.goesDown();
    north.goesDown();
    client.sends(SET);
    assertThat(west.asked()).isEqualTo(SET);
    west.answers("NOT_STORED\r\n");
    assertThat(client.told()).isEqualTo("NOT_STORED\r\n");
  }

  @Test
  void shouldDoAllOfAChangeWhoseClientHasGoneAndTouchNoNeighbour() {
    start("");
    SocketlessClient neighbour = pools.client();
    pools.repeat(
        () -> {
          SocketlessClient leaving = pools.client();
          leaving.sends(SET + "get k\r\n");
          neighbour.sends("get n\r\n");
          areAsked(SET + "get k\r\nget n\r\n");
          east.answers("STORED\r\n");
          leaving.leaves();
          west.answers("STORED\r\n" + found("k", "v") + found("n", "w"));
          assertThat(neighbour.told()).isEqualTo(found("n", "w"));
          north.answers("STORED\r\nEND\r\nEND\r\n");
          east.answers("END\r\nEND\r\n");
          assertThat(neighbour.told()).isEmpty();
          pools.pass(5);
        });
  }
}
