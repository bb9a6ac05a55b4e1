package sluice.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import sluice.gateway.loop.MemoryShare;

/** Long lines take a quarter of the memory, and one of them always has some. */
class LineMemoryTest {
  private static final int MIB = 1 << 20;

  private final MemoryShare memory = MemoryShare.of(1, 16 * MIB)[0];
  private final LineMemory lines = new LineMemory(memory);
  private final List<String> served = new ArrayList<>();

  private boolean reserve(String name) {
    return lines.reserve(waiter(name));
  }

  private LineMemory.Waiter waiter(String name) {
    return () -> served.add(name);
  }

  @Test
  void shouldReserveAQuarter() {
    for (int i = 0; i < 4; i++) {
      assertThat(reserve("early")).isTrue();
    }
    assertThat(lines.isAwaited()).isFalse();
    assertThat(reserve("late")).isFalse();
    assertThat(lines.isAwaited()).isTrue();
    lines.sweep();
    assertThat(served).isEmpty();
    lines.release();
    lines.sweep();
    assertThat(served).containsExactly("late");
    assertThat(lines.isAwaited()).isFalse();
  }

  @Test
  void shouldServeWaitersInTheirOrder() {
    for (int i = 0; i < 4; i++) {
      assertThat(reserve("early")).isTrue();
    }
    LineMemory.Waiter leaves = waiter("leaves");
    assertThat(lines.reserve(leaves)).isFalse();
    assertThat(reserve("first")).isFalse();
    assertThat(reserve("second")).isFalse();
    lines.forget(leaves);
    lines.release();
    assertThat(reserve("third")).as("behind those that wait").isFalse();
    lines.sweep();
    assertThat(served).containsExactly("first");
    lines.release();
    lines.release();
    lines.sweep();
    assertThat(served).containsExactly("first", "second", "third");
  }

  @Test
  void shouldLetOneArriveHoweverLittleMemoryThereIs() {
    memory.add(16 * MIB);
    assertThat(reserve("only")).isTrue();
    assertThat(reserve("next")).isFalse();
    lines.release();
    lines.addComplete(100_000);
    lines.sweep();
    assertThat(served).as("a complete line takes memory, too").isEmpty();
    lines.addComplete(-100_000);
    lines.sweep();
    assertThat(served).containsExactly("next");
  }

  @Test
  void shouldNotWaitForCompleteLinesWhileThereIsMemory() {
    lines.addComplete(8 * MIB);
    memory.add(8 * MIB);
    assertThat(reserve("next")).isTrue();
    memory.add(4 * MIB);
    assertThat(reserve("late")).isFalse();
    memory.add(-4 * MIB);
    lines.sweep();
    assertThat(served).containsExactly("late");
  }
}
