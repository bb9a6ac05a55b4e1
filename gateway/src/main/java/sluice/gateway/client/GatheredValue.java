package sluice.gateway.client;

import sluice.gateway.loop.Loop;
import sluice.gateway.session.ValueMemory;

/**
 * Value that a client is sending and that must be complete before it is processed. Memory for all
 * of it is reserved first. Then its progress is observed, because others may wait for that memory.
 */
final class GatheredValue implements ValueMemory.Waiter {
  private final ClientControl control;
  private final ValueMemory valueMemory;
  private final ValueSlices slices;
  private final ArrivalWatch watch;
  private int wanted; // bytes for which memory was not available

  GatheredValue(ClientControl control, BackPressure pressure, ValueMemory valueMemory, Loop loop) {
    this.control = control;
    this.valueMemory = valueMemory;
    this.watch = new ArrivalWatch(loop);
    this.slices = new ValueSlices(loop, pressure, valueMemory);
  }

  /** The part that has arrived. */
  ValueSlices slices() {
    return slices;
  }

  /** Begins to gather a value of this length, as soon as memory for all of it is reserved. */
  void begin(int length) {
    if (valueMemory.reserve(length, this)) {
      slices.begin(length);
    } else {
      wanted = length;
      control.pauseFor(ClientControl.MEMORY);
    }
  }

  @Override
  public void memoryReserved() {
    slices.begin(wanted);
    control.goOnFrom(ClientControl.MEMORY);
  }

  /** Withdraws the request for memory. */
  void end() {
    valueMemory.forget(this);
  }

  /**
   * Called a few times a second: checks whether enough has arrived.
   *
   * @param mayCome whether the client is read, or would be if it read its replies
   */
  void sweep(boolean mayCome) {
    watch.look(slices.added(), slices.wanted(), !slices.isReserved() || !mayCome);
  }

  /** Whether progress was insufficient for that time, although the client was read. */
  boolean standsStillFor(long nanos) {
    return watch.standsStillFor(nanos);
  }
}
