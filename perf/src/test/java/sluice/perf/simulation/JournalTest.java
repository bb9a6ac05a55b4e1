package sluice.perf.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import sluice.perf.simulation.system.SimulatedNetwork;
import sluice.perf.simulation.system.Simulator;

class JournalTest {
  private final Simulator simulator = new Simulator(1);
  private final World world = new World(simulator, new SimulatedNetwork(simulator), 60);
  private final Journal journal = world.journal();

  @Test
  void shouldFindAnAdditionThatIsCarriedOutTwice() {
    CheckedKey key = new CheckedKey(world, Rule.PLAIN, "1:k1");
    journal.isComplete();
    String first = key.addition(true, 10);
    String second = key.addition(false, 10);
    journal.joined("1:k1", first.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));
    assertThat(key.mayHold(first)).isTrue();
    assertThat(key.mayHold(second)).isFalse();
    assertThat(simulator.findings()).isEmpty();
    journal.joined("1:k1", first.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));
    assertThat(simulator.findings()).hasSize(1);
  }

  @Test
  void shouldFindATimeToLiveThatTheRuleDoesNotAllow() {
    CheckedKey bounded = new CheckedKey(world, Rule.TTL, "1:k1");
    CheckedKey plain = new CheckedKey(world, Rule.PLAIN, "1:k2");
    journal.lives(bounded.name(), 19 * 24 * 60 * 60);
    journal.lives(plain.name(), 0);
    journal.lives(plain.name(), -1);
    journal.lives(bounded.name(), Journal.PAST);
    assertThat(simulator.findings()).isEmpty();
    journal.lives(bounded.name(), 0);
    journal.lives(plain.name(), 19);
    assertThat(simulator.findings()).hasSize(2);
  }

  @Test
  void shouldKnowKeysByTheirNamesOnServers() {
    CheckedKey key = new CheckedKey(world, Rule.RENAMED, "1:k1");
    journal.isComplete();
    var unused = key.next(10);
    journal.stored("kk:1:k1", key.flags());
    assertThat(key.name()).isEqualTo("k:1:k1");
    assertThat(key.mayHold(key.flags())).isTrue();
  }
}
