package sluice.gateway.request;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The room of a queue, which a client has for as long as it is connected. */
class RingQueueTest {
  private final RingQueue<Integer> queue = new RingQueue<>();

  private void burst(int elements) {
    for (int i = 0; i < elements; i++) {
      queue.add(i);
    }
    queue.shrink();
    for (int i = 0; i < elements; i++) {
      assertThat(queue.poll()).isEqualTo(i);
    }
  }

  @Test
  void shouldGiveUpTheRoomOfABurstOnceItIsEmpty() {
    burst(1000);
    assertThat(queue.room()).as("for a burst that may follow at once").isEqualTo(1024);
    queue.shrink();
    assertThat(queue.room()).isLessThan(100);
    burst(20);
    burst(300);
  }

  @Test
  void shouldKeepTheRoomOfFewElements() {
    burst(200);
    queue.shrink();
    assertThat(queue.room()).isEqualTo(256);
  }
}
