package sluice.perf.simulation.system;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.perf.simulation.system.SimulationRun.on;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SimulatedEventLoopTest {
  /** Tasks of an iteration: a and b are the loop's own, 1 and 2 come from elsewhere. */
  private static List<String> order(int seed) throws InterruptedException {
    Simulator simulator = new Simulator(seed);
    List<String> ran = new ArrayList<>();
    on(
        simulator,
        () -> {
          SimulatedLoops loops =
              new SimulatedLoops(
                  simulator, 0, 1, executor -> ((SimulatedEventLoop) executor).sockets());
          SimulatedEventLoop loop = loops.loops().get(0);
          loop.execute(
              () -> {
                loop.execute(() -> ran.add("a"));
                loop.execute(() -> ran.add("b"));
              });
          loop.execute(() -> ran.add("1"));
          loop.execute(() -> ran.add("2"));
          simulator.run(1_000_000_000L);
        });
    return ran;
  }

  @Test
  void shouldRunTasksFromElsewhereBetweenItsOwn() throws Exception {
    Set<List<String>> orders = new HashSet<>();
    for (int seed = 1; seed <= 100; seed++) {
      List<String> order = order(seed);
      assertThat(order).containsSubsequence("a", "b").containsSubsequence("1", "2").hasSize(4);
      orders.add(order);
    }
    assertThat(orders).hasSize(6);
  }
}
