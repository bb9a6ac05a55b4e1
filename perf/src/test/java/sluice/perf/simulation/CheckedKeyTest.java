package sluice.perf.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import sluice.perf.simulation.system.SimulatedNetwork;
import sluice.perf.simulation.system.SimulationThread;
import sluice.perf.simulation.system.Simulator;

class CheckedKeyTest {
  private final Simulator simulator = new Simulator(1);
  private final World world = new World(simulator, new SimulatedNetwork(simulator), 60);
  private final CheckedKey key = new CheckedKey(world, Rule.PLAIN, "1:k1");

  private static Replies replies(String text) {
    Replies replies = new Replies();
    replies.add(text.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));
    return replies;
  }

  @Test
  void shouldFindAnOldValue() {
    String old = key.next(10);
    long flagsOfOld = key.flags();
    key.writes(old);
    String current = key.next(10);
    key.writes(current);
    assertThat(key.judge(current, key.changes(), current, key.flags())).isNull();
    assertThat(key.judge(current, key.changes(), old, flagsOfOld)).contains("expected " + current);
    assertThat(key.judge(current, key.changes(), null, 0)).contains("found nothing");
  }

  @Test
  void shouldFindTheFlagsOfAnotherValueInAnyCase() {
    String value = key.next(10);
    long flags = key.flags();
    key.uncertain();
    assertThat(key.judge(null, key.changes(), value, flags)).isNull();
    assertThat(key.judge(null, key.changes(), value, 0))
        .contains("found flags 0, expected " + flags);
    String other = key.next(10);
    assertThat(key.flags()).isNotEqualTo(flags);
    assertThat(key.judge(null, key.changes(), other, flags)).contains("found flags " + flags);
  }

  @Test
  void shouldFindAValueOfAnotherKeyInAnyCase() {
    key.uncertain();
    assertThat(key.judge(null, key.changes(), "1:k2|1|", 0)).contains("never wrote");
  }

  @Test
  void shouldAllowALossIfAServerHasCrashed() {
    String value = key.next(10);
    key.writes(value);
    world.loss();
    assertThat(key.isCertain()).isFalse();
    assertThat(key.judge(value, key.changes(), null, 0)).isNull();
  }

  @Test
  void shouldFindTheReplyToAnotherRequest() {
    String value = key.next(20);
    key.writes(value);
    Request get = Request.get("get", List.of(key));
    String right = "VALUE 1:k1 " + key.flags() + " 20\r\n" + value + "\r\nEND\r\n";
    for (int cut = 0; cut < right.length(); cut++) {
      assertThat(get.judge(replies(right.substring(0, cut)))).isEqualTo(Request.INCOMPLETE);
    }
    assertThat(get.judge(replies(right))).isEqualTo(Request.FINE);
    assertThat(get.judge(replies("STORED\r\n"))).contains("found STORED");
    assertThat(get.judge(replies("END\r\n"))).contains("found nothing");
    assertThat(get.judge(replies("VALUE 1:k9 0 1\r\nx\r\nEND\r\n"))).contains("1:k9");
  }

  @Test
  void shouldNotKnowTheOutcomeOfARequestThatFailed() throws Exception {
    Thread thread =
        new SimulationThread(
            () -> {
              Request set = Request.line("set", key, true, Set.of("STORED"), Set.of("STORED"));
              assertThat(set.judge(replies("SERVER_ERROR x\r\n"))).isEqualTo(Request.FINE);
              assertThat(set.error()).isEqualTo("SERVER_ERROR x");
            });
    thread.start();
    thread.join();
    assertThat(key.isCertain()).isFalse();
  }

  @Test
  void shouldFindAnAcknowledgedWriteThatNoServerHasCarriedOut() {
    world.journal().isComplete();
    key.writes(key.next(10));
    Request carriedOut = Request.store("set", key, Set.of("STORED"), Set.of("STORED"));
    world.journal().stored(key.name(), key.flags());
    key.writes(key.next(10));
    Request lost = Request.store("set", key, Set.of("STORED"), Set.of("STORED"));
    assertThat(carriedOut.judge(replies("STORED\r\n"))).isEqualTo(Request.FINE);
    assertThat(lost.judge(replies("STORED\r\n"))).contains("no server has carried out");
  }

  @Test
  void shouldFindAWriteThatIsCarriedOutTwice() {
    key.writes(key.next(10));
    world.journal().stored(key.name(), key.flags());
    assertThat(simulator.findings()).isEmpty();
    world.journal().stored(key.name(), key.flags() | 0x10000);
    assertThat(simulator.findings()).singleElement().asString().contains("carried out 2 times");
  }

  @Test
  void shouldUseAKeyAFewTimesMoreWhenItsValueIsNotKnown() {
    assertThat(key.isWorn()).isFalse();
    key.uncertain();
    int uses = 0;
    while (!key.isWorn()) {
      uses++;
    }
    assertThat(uses).isBetween(1, 10);
  }
}
