package sluice.gateway.dispatch.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.gateway.dispatch.policy.SocketlessServer.found;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.gateway.metrics.NearResult;

/** Reads that a near cache answers, and those that wait for each other. */
class NearCacheBackendTest {
  private static final String SET = "set k 0 0 1\r\nw\r\n";

  private final ScriptedPools pools =
      new ScriptedPools("{pool: own, nearCache: {size: 1MiB, ttl: 2s}}", "own");
  private final SocketlessServer own = pools.server("own");
  private final SocketlessClient client = pools.client();
  private final SocketlessClient other = pools.client();

  @AfterEach
  void close() {
    pools.close();
  }

  /** What servers are asked for in the place of get: a near cache keeps the cas unique, too. */
  private static String gets(String key) {
    return "gets " + key + "\r\n";
  }

  private static String unique(String key, String value) {
    return "VALUE " + key + " 0 " + value.length() + " 7\r\n" + value + "\r\nEND\r\n";
  }

  private void keeps(String key, String value) {
    client.sends("get " + key + "\r\n");
    assertThat(own.asked()).isEqualTo(gets(key));
    own.answers(unique(key, value));
    assertThat(client.told()).isEqualTo(found(key, value));
  }

  /** The opaque of the meta read that the server was asked for. */
  private String opaqueOfRead() {
    String asked = own.asked();
    assertThat(asked).matches("mg k .* O\\d+\r\n");
    return asked.substring(asked.indexOf(" O") + 1, asked.indexOf('\r'));
  }

  private long counted(NearResult result) {
    return pools.metrics().near("own").reads().counted(result);
  }

  @Test
  void shouldAnswerWhatIsKeptWithoutTheServerUntilItIsTooOld() {
    keeps("k", "v");
    other.sends("get k\r\n");
    assertThat(other.told()).isEqualTo(found("k", "v"));
    assertThat(own.asked()).isEmpty();
    assertThat(counted(NearResult.HIT)).isEqualTo(1);
    pools.pass(2010);
    other.sends("get k\r\n");
    assertThat(own.asked()).isEqualTo(gets("k"));
    own.answers(unique("k", "w"));
    assertThat(other.told()).isEqualTo(found("k", "w"));
  }

  @Test
  void shouldAnswerReadsOfOneKeyAtOneTimeWithOneRequest() {
    client.sends("get k\r\n");
    other.sends("get k\r\n");
    assertThat(own.asked()).isEqualTo(gets("k"));
    own.answers(unique("k", "v"));
    assertThat(client.told()).isEqualTo(found("k", "v"));
    assertThat(other.told()).isEqualTo(found("k", "v"));
    assertThat(counted(NearResult.SHARED)).isEqualTo(1);
    assertThat(own.asked()).isEmpty();
  }

  @Test
  void shouldAskTheServerAgainFromAChangeOn() {
    keeps("k", "v");
    other.sends(SET);
    assertThat(own.asked()).isEqualTo(SET);
    own.answers("STORED\r\n");
    assertThat(other.told()).isEqualTo("STORED\r\n");
    client.sends("get k\r\n");
    assertThat(own.asked()).isEqualTo(gets("k"));
    own.answers(unique("k", "w"));
    assertThat(client.told()).isEqualTo(found("k", "w"));
  }

  @Test
  void shouldNotHideFromMetaClientsThatAnItemReadAsTextIsStale() {
    keeps("k", "v");
    other.sends("mg k v\r\n");
    own.answers("VA 1 f0 c7 " + opaqueOfRead() + " W X\r\nv\r\n");
    assertThat(other.told()).isEqualTo("VA 1 W X\r\nv\r\n");
    client.sends("get k\r\n");
    assertThat(own.asked()).isEmpty();
    assertThat(client.told()).isEqualTo(found("k", "v"));
  }

  @Test
  void shouldNotLetAMetaReadWaitForOneThatShowsNoStates() {
    client.sends("get k\r\n");
    assertThat(own.asked()).isEqualTo(gets("k"));
    other.sends("mg k v\r\n");
    String opaque = opaqueOfRead();
    own.answers(unique("k", "v"));
    own.answers("VA 1 f0 c7 " + opaque + "\r\nv\r\n");
    assertThat(client.told()).isEqualTo(found("k", "v"));
    assertThat(other.told()).isEqualTo("VA 1\r\nv\r\n");
    other.sends("mg k v\r\n");
    client.sends("get k\r\n");
    assertThat(own.asked()).isEmpty();
    assertThat(other.told()).isEqualTo("VA 1\r\nv\r\n");
    assertThat(client.told()).isEqualTo(found("k", "v"));
  }

  /** The reply may be older than the change. */
  @Test
  void shouldNotKeepWhatWasReadWhileItWasChanged() {
    client.sends("get k\r\n");
    other.sends(SET);
    own.answers(unique("k", "v") + "STORED\r\n");
    assertThat(client.told()).isEqualTo(found("k", "v"));
    assertThat(other.told()).isEqualTo("STORED\r\n");
    own.asked();
    client.sends("get k\r\n");
    assertThat(own.asked()).isEqualTo(gets("k"));
    own.answers(unique("k", "w"));
    assertThat(client.told()).isEqualTo(found("k", "w"));
  }

  @Test
  void shouldLetThoseWhoWaitedAskThemselvesWhenTheOnlyRequestFails() {
    client.sends("get k\r\n");
    assertThat(own.asked()).isEqualTo(gets("k"));
    pools.pass(100);
    other.sends("get k\r\n");
    pools.pass(410);
    assertThat(client.told()).isEqualTo("SERVER_ERROR server own:1 timed out\r\n");
    assertThat(other.told()).isEmpty();
    assertThat(own.asked()).isEqualTo(gets("k"));
    own.answersLate(unique("k", "late"));
    assertThat(other.told()).isEmpty();
    own.answers(unique("k", "v"));
    assertThat(other.told()).isEqualTo(found("k", "v"));
    client.sends("get k\r\n");
    assertThat(client.told()).isEqualTo(found("k", "v"));
  }

  /** The reply takes long, but never as long between two of its bytes that it would time out. */
  @Test
  void shouldNotLetAReadWaitForASlowOneLongerThanAServerMayTake() {
    String slow = "vvvvvvvvvv";
    client.sends("get k\r\n");
    other.sends("get k\r\n");
    assertThat(own.asked()).isEqualTo(gets("k"));
    own.answers("VALUE k 0 " + slow.length() + " 7\r\n");
    int came = 0;
    String asked = "";
    while (asked.isEmpty() && came < slow.length()) {
      own.answers(slow.substring(came, ++came));
      pools.pass(400);
      asked = own.asked();
    }
    assertThat(asked).isEqualTo(gets("k"));
    SocketlessClient third = pools.client();
    third.sends("get k\r\n"); // waits for the second read, not for the slow one
    assertThat(own.asked()).isEmpty();
    own.answers(slow.substring(came) + "\r\nEND\r\n" + unique("k", "w"));
    assertThat(client.told()).isEqualTo(found("k", slow));
    assertThat(other.told()).isEqualTo(found("k", "w"));
    assertThat(third.told()).startsWith("VALUE k 0 ");
    other.sends("get k\r\nget l\r\n"); // a read that it has given up on disturbs no other
    assertThat(own.asked()).isEqualTo(gets("l"));
  }

  @Test
  void shouldFailWhatIsNotKeptWhileTheServerIsDownAndAnswerWhatIs() {
    keeps("k", "v");
    own.goesDown();
    client.sends("get k\r\nget l\r\n");
    assertThat(client.told())
        .isEqualTo(
            found("k", "v") + "SERVER_ERROR server own:1 is unreachable: connection refused\r\n");
  }

  /** The one that asked has gone: its reply still answers those who waited for it. */
  @Test
  void shouldLeaveNothingOfAClientThatHasGoneAndNoNeighbourWithout() {
    pools.repeat(
        () -> {
          SocketlessClient leaving = pools.client();
          leaving.sends("get k\r\n");
          other.sends("get k\r\n");
          leaving.leaves();
          own.answers(unique("k", "v"));
          String told = other.told();
          if (told.isEmpty()) {
            own.answers(unique("k", "v"));
            told = other.told();
          }
          assertThat(told).isEqualTo(found("k", "v"));
          pools.pass(2010);
          own.asked();
        });
  }
}
