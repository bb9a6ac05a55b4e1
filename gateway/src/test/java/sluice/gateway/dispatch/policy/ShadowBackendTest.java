package sluice.gateway.dispatch.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.gateway.dispatch.policy.SocketlessServer.found;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.gateway.metrics.ShadowResult;

/** A pool that gets copies: clients neither wait for it nor hear of it. */
class ShadowBackendTest {
  private static final String SET = "set k 0 0 1\r\nv\r\n";

  private final ScriptedPools pools =
      new ScriptedPools("{pool: own, shadow: {pool: copy}}", "own", "copy");
  private final SocketlessServer own = pools.server("own");
  private final SocketlessServer copy = pools.server("copy");
  private final SocketlessClient client = pools.client();

  @AfterEach
  void close() {
    pools.close();
  }

  private long counted(ShadowResult result) {
    return pools.metrics().shadow("copy").counted(result);
  }

  @Test
  void shouldCopyRequestsAndCompareRepliesThatTheClientDoesNotWaitFor() {
    client.sends(SET);
    assertThat(own.asked()).isEqualTo(SET);
    assertThat(copy.asked()).isEqualTo(SET);
    own.answers("STORED\r\n");
    assertThat(client.told()).isEqualTo("STORED\r\n");
    copy.answers("STORED\r\n");
    assertThat(counted(ShadowResult.SAME)).isEqualTo(1);
    client.sends("get k\r\n");
    copy.answers(found("k", "w"));
    assertThat(client.told()).isEmpty();
    own.answers(found("k", "v"));
    assertThat(client.told()).isEqualTo(found("k", "v"));
    assertThat(counted(ShadowResult.DIFFERENT)).isEqualTo(1);
  }

  @Test
  void shouldAnswerWhileTheShadowStallsAndCountThatItFailed() {
    client.sends("get k\r\n");
    own.answers(found("k", "v"));
    assertThat(client.told()).isEqualTo(found("k", "v"));
    pools.pass(510);
    assertThat(counted(ShadowResult.FAILED)).isEqualTo(1);
    client.sends("get l\r\n");
    copy.answersLate("END\r\n");
    copy.answers(found("l", "v"));
    own.answers(found("l", "v"));
    assertThat(client.told()).isEqualTo(found("l", "v"));
    assertThat(counted(ShadowResult.SAME)).isEqualTo(1);
    assertThat(counted(ShadowResult.DIFFERENT)).isZero();
  }

  @Test
  void shouldNotCopyToAShadowThatIsDown() {
    copy.goesDown();
    client.sends("get k\r\n");
    client.sends("get l\r\n");
    own.answers("END\r\n" + found("l", "v"));
    assertThat(client.told()).isEqualTo("END\r\n" + found("l", "v"));
    assertThat(counted(ShadowResult.SKIPPED)).isGreaterThanOrEqualTo(2);
  }

  @Test
  void shouldFailTheClientWhenItsOwnPoolFailsThoughTheShadowAnswers() {
    client.sends("get k\r\n");
    copy.answers(found("k", "v"));
    pools.pass(510);
    assertThat(client.told()).isEqualTo("SERVER_ERROR server own:1 timed out\r\n");
    own.answersLate(found("k", "late"));
    assertThat(client.told()).isEmpty();
    assertThat(counted(ShadowResult.SAME) + counted(ShadowResult.DIFFERENT)).isZero();
  }

  /** Its own pool is slower, or the client does not read: what the shadow sends is not kept. */
  @Test
  void shouldHoldNothingOfRepliesThatComeBeforeTheClients() {
    String value = "v".repeat(500_000);
    String other = "v".repeat(499_999) + "w";
    client.sends("get k\r\n".repeat(100));
    for (int i = 0; i < 100; i++) {
      copy.answers(found("k", i == 50 ? other : value));
      assertThat(pools.buffered()).isZero();
    }
    String half = found("k", value).substring(0, 250_000);
    client.sends("get k\r\n");
    copy.answers(half);
    assertThat(pools.buffered()).isZero();
    copy.answers(found("k", value).substring(half.length()));
    for (int i = 0; i < 101; i++) {
      own.answers(found("k", value));
      assertThat(client.told()).isEqualTo(found("k", value));
    }
    assertThat(counted(ShadowResult.SAME)).isEqualTo(100);
    assertThat(counted(ShadowResult.DIFFERENT)).isEqualTo(1);
    assertThat(counted(ShadowResult.SKIPPED)).isZero();
  }

  @Test
  void shouldCompareRepliesHoweverTheyAreCut() {
    String reply = found("k", "a value of more than one word");
    for (int at = 1; at < reply.length(); at++) {
      client.sends("get k\r\n");
      copy.answers(reply.substring(0, at));
      copy.answers(reply.substring(at));
      own.answers(reply);
      assertThat(client.told()).isEqualTo(reply);
    }
    assertThat(counted(ShadowResult.SAME)).isEqualTo(reply.length() - 1);
  }

  /** A compressed value is complete before it is inflated: one that takes too much is dropped. */
  @Test
  void shouldHoldNoMoreThanItsBoundOfAValueThatMustBeProcessed() {
    try (ScriptedPools compressing =
        new ScriptedPools(
            "{pool: own, shadow: {pool: copy}}",
            "own",
            "copy: compression: {algorithm: lz4, above: 1KiB}")) {
      SocketlessClient reader = compressing.client();
      SocketlessServer shadow = compressing.server("copy");
      reader.sends("get k\r\nget l\r\n");
      shadow.answers("VALUE k 65536 100000000\r\n");
      String some = "v".repeat(500_000);
      for (int i = 0; i < 200; i++) {
        shadow.answers(some);
        assertThat(compressing.buffered()).isLessThan(5 << 20);
      }
      assertThat(compressing.buffered()).isZero();
      shadow.answers("\r\nEND\r\n" + found("l", "v"));
      compressing.server("own").answers("END\r\n" + found("l", "v"));
      assertThat(reader.told()).isEqualTo("END\r\n" + found("l", "v"));
      assertThat(compressing.metrics().shadow("copy").counted(ShadowResult.SKIPPED)).isEqualTo(1);
      assertThat(compressing.metrics().shadow("copy").counted(ShadowResult.SAME)).isEqualTo(1);

      reader.sends("get k\r\n");
      shadow.answers("VALUE k 65536 1000\r\nhalf of it");
      assertThat(compressing.buffered()).isPositive();
      shadow.closesConnections();
      assertThat(compressing.buffered()).isZero();
    }
  }

  @Test
  void shouldNotCompareAReplyThatBreaksOff() {
    client.sends("get k\r\n");
    copy.answers(found("k", "value").substring(0, 15));
    copy.closesConnections();
    own.answers(found("k", "value"));
    assertThat(client.told()).isEqualTo(found("k", "value"));
    assertThat(counted(ShadowResult.FAILED)).isEqualTo(1);
  }

  @Test
  void shouldLeaveNothingOfAClientThatHasGoneAndNoNeighbourWithout() {
    SocketlessClient neighbour = pools.client();
    pools.repeat(
        () -> {
          SocketlessClient leaving = pools.client();
          leaving.sends("get k\r\n");
          neighbour.sends("get n\r\n");
          leaving.leaves();
          own.answers(found("k", "v") + found("n", "v"));
          assertThat(neighbour.told()).isEqualTo(found("n", "v"));
          copy.answers(found("k", "v") + found("n", "v"));
          pools.pass(5);
        });
  }
}
