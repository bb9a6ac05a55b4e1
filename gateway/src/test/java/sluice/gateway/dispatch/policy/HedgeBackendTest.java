package sluice.gateway.dispatch.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.gateway.dispatch.policy.SocketlessServer.found;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.codecs.memcached.bridge.BinaryRequestReader;
import sluice.codecs.memcached.bridge.Request;
import sluice.gateway.metrics.HedgeResult;

/** Reads that are also sent to a second pool, against servers that a test speaks for. */
class HedgeBackendTest {
  private final ScriptedPools pools =
      new ScriptedPools(
          "{pool: own, hedge: {to: other, after: 20ms, budget: 100%}}", "own", "other");
  private final SocketlessServer own = pools.server("own");
  private final SocketlessServer other = pools.server("other");
  private final SocketlessClient client = pools.client();

  @AfterEach
  void close() {
    pools.close();
  }

  private long counted(HedgeResult result) {
    return pools.metrics().hedge("own").counted(result);
  }

  @Test
  void shouldAskOnePoolAloneThatAnswersInTime() {
    client.sends("get k\r\n");
    pools.pass(19);
    assertThat(own.asked()).isEqualTo("get k\r\n");
    own.answers(found("k", "a"));
    assertThat(client.told()).isEqualTo(found("k", "a"));
    pools.pass(100);
    assertThat(other.asked()).isEmpty();
  }

  @Test
  void shouldTakeTheOthersAnswerAndDropTheLateOne() {
    client.sends("get k\r\nget l\r\n");
    pools.pass(21);
    assertThat(own.asked()).isEqualTo("get k\r\nget l\r\n");
    assertThat(other.asked()).isEqualTo("get k\r\nget l\r\n");
    other.answers(found("k", "b"));
    assertThat(client.told()).isEqualTo(found("k", "b"));
    own.answers(found("k", "a") + found("l", "a"));
    assertThat(client.told()).isEqualTo(found("l", "a"));
    other.answers("END\r\n");
    assertThat(client.told()).isEmpty();
  }

  /** Every reply to a binary client has a cas unique, and the other pool's means nothing to own. */
  @Test
  void shouldNotHedgeReadsOfBinaryClients() {
    ByteBuf get = Unpooled.buffer();
    get.writeByte(0x80).writeZero(2).writeByte(1).writeZero(7).writeByte(1).writeZero(12);
    get.writeByte('k');
    Request request = new Request();
    BinaryRequestReader.read(get, 0, request);
    assertThat(request.isRead()).isTrue();
    assertThat(HedgeBackend.isHedged(request)).isFalse();
  }

  /** It is held until it is complete: that it takes much is not the client's fault. */
  @Test
  void shouldReadAValueOfSeveralKeysThatIsLargerThanTheOutBuffer() {
    String large = "v".repeat(3 << 20);
    client.sends("get a b\r\n");
    assertThat(own.asked()).isEqualTo("get a\r\nget b\r\n");
    String replies = found("a", large) + found("b", "w");
    for (int from = 0; from < replies.length(); from += 1 << 20) {
      own.answers(replies.substring(from, Math.min(replies.length(), from + (1 << 20))));
    }
    assertThat(client.told()).isEqualTo(found("a", large).replace("END\r\n", "") + found("b", "w"));
  }

  @Test
  void shouldFailWhenBothStall() {
    client.sends("get k\r\n");
    pools.pass(600);
    assertThat(client.told()).isEqualTo("SERVER_ERROR server own:1 timed out\r\n");
    assertThat(counted(HedgeResult.FAILED)).isEqualTo(1);
  }

  /** Its own pool fails, the other has yet to answer; an error is no answer as long as it has. */
  @Test
  void shouldWaitForTheOtherWhenItsOwnFailsAndTheOtherWayRound() {
    client.sends("get k\r\n");
    pools.pass(25);
    own.goesDown();
    assertThat(client.told()).isEmpty();
    other.answers(found("k", "o"));
    assertThat(client.told()).isEqualTo(found("k", "o"));
    own.comesBack();
    pools.pass(1100);
    client.sends("get k\r\n");
    pools.pass(25);
    other.answers("SERVER_ERROR out of memory\r\n");
    assertThat(client.told()).isEmpty();
    own.answers(found("k", "s"));
    assertThat(client.told()).isEqualTo(found("k", "s"));
    assertThat(counted(HedgeResult.WON)).isEqualTo(1);
    assertThat(counted(HedgeResult.LOST)).isEqualTo(1);
  }

  @Test
  void shouldWaitForItsOwnWhenTheOtherIsDown() {
    other.goesDown();
    client.sends("get k\r\n");
    pools.pass(100);
    assertThat(client.told()).isEmpty();
    own.answers(found("k", "s"));
    assertThat(client.told()).isEqualTo(found("k", "s"));
    assertThat(counted(HedgeResult.SKIPPED)).isEqualTo(1);
  }

  /**
   * The other pool has not stored what the client has an answer to, on a connection that another
   * client's request made stand aside.
   */
  @Test
  void shouldNotOvertakeAChangeOfItsClient() {
    String set = "set k 0 0 1\r\nn\r\n";
    ScriptedPools replicated =
        new ScriptedPools(
            "{match: {commands: [set]}, replicate: {pools: [own, other], acks: one}},"
                + " {match: {prefix: 'w:'}, pool: other},"
                + " {pool: own, hedge: {to: other, after: 20ms, budget: 100%}}",
            "own", "other");
    try {
      SocketlessServer first = replicated.server("own");
      SocketlessServer second = replicated.server("other");
      SocketlessClient stalled = replicated.client();
      SocketlessClient writes = replicated.client();
      stalled.sends("get w:x\r\n");
      replicated.pass(300);
      writes.sends(set);
      assertThat(first.asked()).isEqualTo(set);
      first.answers("STORED\r\n");
      assertThat(writes.told()).isEqualTo("STORED\r\n");
      assertThat(second.asked()).isEqualTo("get w:x\r\n" + set);
      replicated.pass(250);
      assertThat(stalled.told()).isEqualTo("SERVER_ERROR server other:1 timed out\r\n");
      writes.sends("get k\r\n");
      replicated.pass(50);
      assertThat(second.asked()).isEmpty();
      first.answers(found("k", "n"));
      assertThat(writes.told()).isEqualTo(found("k", "n"));
      assertThat(replicated.metrics().hedge("own").counted(HedgeResult.SKIPPED)).isEqualTo(1);
      second.answersLate("END\r\nSTORED\r\n");
    } finally {
      replicated.close();
    }
  }

  /** Pools of which reads ask one, while changes go to both. */
  private static ScriptedPools replicated() {
    return new ScriptedPools(
        "{match: {commands: [get]}, pool: own, hedge: {to: other, after: 20ms, budget: 100%}},"
            + " {replicate: {pools: [own, other]}}",
        "own", "other");
  }

  /** The other pool has carried out a change that its client has sent after the read. */
  @ParameterizedTest
  @CsvSource({"'set k 0 0 1|n|',STORED", "delete k|,DELETED", "gat -1 k|,END"})
  void shouldNotReturnALaterChangeOfItsClient(String written, String word) {
    String change = written.replace("|", "\r\n");
    String reply = word + "\r\n";
    try (ScriptedPools replicated = replicated()) {
      SocketlessServer first = replicated.server("own");
      SocketlessServer second = replicated.server("other");
      SocketlessClient changes = replicated.client();
      changes.sends("get k\r\n" + change);
      assertThat(first.asked()).isEqualTo("get k\r\n" + change);
      assertThat(second.asked()).isEqualTo(change);
      second.answers(reply);
      replicated.pass(50);
      assertThat(second.asked()).isEmpty();
      assertThat(changes.told()).isEmpty();
      first.answers(found("k", "o") + reply);
      assertThat(changes.told()).isEqualTo(found("k", "o") + reply);
      assertThat(replicated.metrics().hedge("own").counted(HedgeResult.SKIPPED)).isEqualTo(1);
    }
  }

  @Test
  void shouldNotReturnWhatALaterMetaReadOfItsClientExpired() {
    try (ScriptedPools replicated = replicated()) {
      SocketlessServer first = replicated.server("own");
      SocketlessServer second = replicated.server("other");
      SocketlessClient expires = replicated.client();
      expires.sends("get k\r\nmg k T-1\r\n");
      String asked = first.asked();
      assertThat(asked).startsWith("get k\r\nmg k T-1 ");
      second.answers("HD" + SocketlessServer.opaque(second.asked()) + "\r\n");
      replicated.pass(50);
      assertThat(second.asked()).isEmpty();
      first.answers(found("k", "o") + "HD" + SocketlessServer.opaque(asked) + "\r\n");
      assertThat(expires.told()).isEqualTo(found("k", "o") + "HD\r\n");
    }
  }

  @Test
  void shouldSendAReadAgainThatAFenceFollows() {
    client.sends("get k\r\nmn\r\n");
    pools.pass(21);
    assertThat(other.asked()).isEqualTo("get k\r\n");
    other.answers(found("k", "o"));
    assertThat(client.told()).isEqualTo(found("k", "o") + "MN\r\n");
    own.answers("END\r\n");
    assertThat(client.told()).isEmpty();
  }

  @Test
  void shouldSendAReadAgainThatAChangeOfItsOwnPoolAloneFollows() {
    client.sends("get k\r\nset k 0 0 1\r\nn\r\n");
    pools.pass(21);
    assertThat(other.asked()).isEqualTo("get k\r\n");
    other.answers(found("k", "o"));
    assertThat(client.told()).isEqualTo(found("k", "o"));
    own.answers("END\r\nSTORED\r\n");
    assertThat(client.told()).isEqualTo("STORED\r\n");
  }

  @Test
  void shouldSendChangesOnce() {
    client.sends("set k 0 0 1\r\nv\r\n");
    pools.pass(100);
    assertThat(other.asked()).isEmpty();
    own.answers("STORED\r\n");
    assertThat(client.told()).isEqualTo("STORED\r\n");
  }

  @Test
  void shouldLeaveNothingOfAClientThatHasGoneAndNoNeighbourWithout() {
    SocketlessClient neighbour = pools.client();
    pools.repeat(
        () -> {
          SocketlessClient leaving = pools.client();
          leaving.sends("get k\r\n");
          neighbour.sends("get n\r\n");
          pools.pass(30);
          leaving.leaves();
          other.answers(found("k", "o") + found("n", "o"));
          assertThat(neighbour.told()).isEqualTo(found("n", "o"));
          own.answers("END\r\nEND\r\n");
          assertThat(neighbour.told()).isEmpty();
          pools.pass(5);
        });
  }
}
