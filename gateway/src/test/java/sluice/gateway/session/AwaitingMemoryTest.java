package sluice.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import sluice.gateway.loop.MemoryShare;

/** Clients that wait for memory are resumed in turns, and small ones do not wait behind large. */
class AwaitingMemoryTest {
  private static final int MIB = 1 << 20;

  private final MemoryShare memory = MemoryShare.of(1, 16 * MIB)[0];
  private final AwaitingMemory awaiting = new AwaitingMemory(memory);

  private FakeClient waiting(long held) {
    FakeClient client = new FakeClient(held);
    awaiting.add(client);
    return client;
  }

  /** Sweeps until the next client is resumed although memory has become fuller. */
  private void sweepForOne() {
    memory.add(1);
    for (int i = 0; i < 20; i++) {
      awaiting.sweep();
    }
  }

  @Test
  void shouldResumeTheSmallestBeforeHundredsThatHoldMore() {
    memory.add(16 * MIB);
    awaiting.sweep(); // nobody waits
    FakeClient first = waiting(10_000);
    FakeClient second = waiting(10_000);
    for (int i = 0; i < 300; i++) {
      waiting(10_000);
    }
    FakeClient small = waiting(30);
    sweepForOne();
    sweepForOne();
    assertThat(small.resumptions()).isOne();
    assertThat(first.resumptions()).as("the one that waited longest has its turn").isOne();
    assertThat(second.resumptions()).isZero();
  }

  @Test
  void shouldResumeTheOneThatWaitedLongestEverySecondTime() {
    memory.add(16 * MIB);
    FakeClient large = waiting(10_000);
    for (int i = 0; i < 10; i++) {
      waiting(30);
    }
    sweepForOne();
    sweepForOne();
    assertThat(large.resumptions()).isOne();
  }

  @Test
  void shouldResumeOneAfterAnotherWhileMemoryIsShort() {
    memory.add(15 * MIB); // not full
    FakeClient first = waiting(1);
    FakeClient second = waiting(1);
    FakeClient third = waiting(1);
    awaiting.sweep();
    assertThat(first.resumptions() + second.resumptions() + third.resumptions()).isOne();
    awaiting.sweep();
    awaiting.sweep();
    awaiting.sweep();
    assertThat(first.resumptions()).isOne();
    assertThat(second.resumptions()).isOne();
    assertThat(third.resumptions()).isOne();
  }

  @Test
  void shouldResumeTheNextOnceTheRequestsOfTheLastTakeNoMoreHeap() {
    memory.addObjects(memory.objectCeiling());
    FakeClient first = waiting(1);
    FakeClient second = waiting(2);
    FakeClient third = waiting(3);
    for (int i = 0; i < 19; i++) {
      awaiting.sweep();
    }
    assertThat(first.resumptions()).as("before its requests could take more").isZero();
    awaiting.sweep();
    assertThat(first.resumptions()).isOne();
    memory.addObjects(1000);
    awaiting.sweep();
    assertThat(second.resumptions() + third.resumptions()).isZero();
    memory.addObjects(-1000);
    awaiting.sweep();
    assertThat(second.resumptions() + third.resumptions()).isOne();
  }

  @Test
  void shouldResumeAllWhenThereIsMemory() {
    memory.add(16 * MIB);
    FakeClient first = waiting(1);
    FakeClient second = waiting(2);
    FakeClient left = waiting(3);
    awaiting.remove(left);
    memory.add(-16 * MIB);
    awaiting.sweep();
    assertThat(first.resumptions()).isOne();
    assertThat(second.resumptions()).isOne();
    assertThat(left.resumptions()).isZero();
  }

  @Test
  void shouldLetAClientWaitAgain() {
    FakeClient again =
        new FakeClient(1) {
          @Override
          public void resumeReading() {
            super.resumeReading();
            awaiting.add(this);
          }
        };
    awaiting.add(again);
    awaiting.sweep();
    assertThat(again.resumptions()).as("once a sweep").isOne();
    awaiting.sweep();
    assertThat(again.resumptions()).isEqualTo(2);
  }
}
