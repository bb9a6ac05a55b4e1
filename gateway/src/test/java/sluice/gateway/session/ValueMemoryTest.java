package sluice.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import sluice.gateway.loop.MemoryShare;

/** Reservations for whole values: which requests wait, and which do not. */
class ValueMemoryTest {
  private static final int CEILING = 1 << 20;
  private static final int VALUE = CEILING / 2;

  private final MemoryShare share = MemoryShare.of(1, CEILING)[0];
  private final ValueMemory memory = new ValueMemory(share);
  private final List<String> served = new ArrayList<>();

  private final class Waits implements ValueMemory.Waiter {
    private final String name;

    Waits(String name) {
      this.name = name;
    }

    @Override
    public void memoryReserved() {
      served.add(name);
    }
  }

  /** The large value may wait for minutes, for that of a slow client. */
  @Test
  void shouldLetSmallValuesOvertakeALargeOneButLeaveRoomForIt() {
    int small = CEILING / 64;
    assertThat(memory.reserve(VALUE, new Waits("slow"))).isTrue();
    assertThat(memory.reserve(VALUE, new Waits("large"))).isFalse();
    assertThat(memory.reserve(small + 1, new Waits("medium"))).isFalse();
    int overtaking = 0;
    while (memory.reserve(small, new Waits("small " + overtaking))) {
      overtaking++;
    }
    assertThat(overtaking).isEqualTo(8);
    memory.sweep();
    assertThat(served).isEmpty();

    memory.release(small);
    share.add(-small);
    memory.sweep();
    assertThat(served).containsExactly("small 8");

    memory.release(VALUE);
    share.add(-VALUE);
    memory.sweep();
    assertThat(served).containsExactly("small 8", "large", "medium");
  }

  /** Bytes that nobody has reserved leave no room for small values, either. */
  @Test
  void shouldNotLetSmallValuesOvertakeOneThatNothingElseMayBeReservedBeside() {
    share.add(VALUE);
    assertThat(memory.reserve(VALUE / 4, new Waits("slow"))).isTrue();
    assertThat(memory.reserve(VALUE, new Waits("large"))).isFalse();
    assertThat(memory.reserve(1, new Waits("small"))).isFalse();
    memory.release(VALUE / 4);
    share.add(-VALUE / 4);
    memory.sweep();
    assertThat(served).containsExactly("large");
  }
}
