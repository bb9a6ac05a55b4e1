package sluice.perf.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.perf.simulation.system.SimulationRun.on;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import sluice.perf.simulation.system.Simulator;

class MomentsTest {
  private static final long SECOND = 1_000_000_000L;

  private final Simulator simulator = new Simulator(1);
  private final Moments moments = new Moments(simulator);
  private final SplittableRandom random = new SplittableRandom(1);
  private final List<String> happened = new ArrayList<>();

  @Test
  void shouldLetOneFaultHappenInEachMoment() throws InterruptedException {
    on(simulator, this::waitForMoments);
  }

  private void waitForMoments() {
    moments.await(() -> happened.add("a"));
    moments.await(() -> happened.add("b"));
    simulator.run(SECOND);
    assertThat(happened).isEmpty();
    moments.begins(random, SECOND);
    simulator.run(SECOND);
    assertThat(happened).containsExactly("a");
    moments.begins(random, SECOND);
    moments.begins(random, SECOND);
    simulator.run(SECOND);
    assertThat(happened).containsExactly("a", "b");
    simulator.run(60 * SECOND);
    assertThat(happened).hasSize(2);
  }

  @Test
  void shouldNotWaitForLong() throws InterruptedException {
    on(simulator, this::waitInVain);
  }

  private void waitInVain() {
    moments.await(() -> happened.add("a"));
    simulator.run(10 * SECOND);
    assertThat(happened).containsExactly("a");
    moments.begins(random, SECOND);
    simulator.run(SECOND);
    assertThat(happened).hasSize(1);
  }

  @Test
  void shouldTellUntilWhenRepliesAreLost() throws InterruptedException {
    on(simulator, this::loseReplies);
  }

  private void loseReplies() {
    assertThat(moments.areRepliesLost()).isFalse();
    moments.repliesAreLost(3 * SECOND);
    moments.repliesAreLost(SECOND);
    simulator.run(2 * SECOND);
    assertThat(moments.areRepliesLost()).isTrue();
    simulator.run(2 * SECOND);
    assertThat(moments.areRepliesLost()).isFalse();
  }

  @Test
  void shouldTellClientsThatRepliesAreLost() throws InterruptedException {
    on(simulator, this::tellOfLoss);
  }

  private void tellOfLoss() {
    moments.onLoss(() -> happened.add(moments.areRepliesLost() ? "lost" : "late"));
    simulator.run(SECOND);
    assertThat(happened).isEmpty();
    moments.repliesAreLost(3 * SECOND);
    simulator.run(3 * SECOND);
    assertThat(happened).containsExactly("lost");
  }
}
