package sluice.gateway.client;

import sluice.gateway.client.input.ArrivalWatch;
import sluice.gateway.loop.Loop;
import sluice.gateway.session.ValueMemory;

/**
 * Value that a client is sending and that must be complete before it is processed. Memory for all
 * of it is reserved first. Then its progress is observed, because others may wait for that memory.
 */
final class GatheredValue implements ValueMemory.Waiter {
  private final ClientControl control;
  private final ValueMemory valueMemory;
  private final BackPressure pressure;
  private final Loop loop;
  private final ValueSlices slices;
  private final ArrivalWatch watch;
  private int wanted; // bytes for which memory is not reserved yet
  private boolean waits; // for that memory
  private boolean isBehindReplies; // it asks for memory once they are answered
  private boolean isHeld; // all of it is held already: it needs no other memory

  GatheredValue(ClientControl control, BackPressure pressure, ValueMemory valueMemory, Loop loop) {
    this.control = control;
    this.valueMemory = valueMemory;
    this.pressure = pressure;
    this.loop = loop;
    this.watch = new ArrivalWatch(loop);
    this.slices = new ValueSlices(loop, pressure, valueMemory);
  }

  /** The part that has arrived. */
  ValueSlices slices() {
    return slices;
  }

  /**
   * Begins to gather a value of this length once all earlier requests are answered. Their replies
   * may take memory, too. A client that held some for its value while its reply waits for more
   * would make others wait, or would need memory beyond the ceiling.
   */
  void beginBehindReplies(int length) {
    wanted = length;
    waits = true;
    isBehindReplies = true;
  }

  /** Whether earlier requests must be answered first. */
  boolean isBehindReplies() {
    return isBehindReplies;
  }

  /** All earlier requests are answered. */
  void repliesDone() {
    isBehindReplies = false;
    waits = false;
    if (isHeld) {
      beginHeld();
    } else {
      begin(wanted);
    }
  }

  private void beginHeld() {
    isHeld = false;
    valueMemory.reserveAnyway(wanted);
    slices.begin(wanted);
  }

  /** Begins to gather a value of this length, as soon as memory for all of it is reserved. */
  void begin(int length) {
    if (valueMemory.reserve(length, this)) {
      slices.begin(length);
    } else {
      wanted = length;
      waits = true;
      control.pauseFor(ClientControl.VALUE_MEMORY);
    }
  }

  /** Whether a value waits for its memory. */
  boolean isWaiting() {
    return waits;
  }

  @Override
  public void memoryReserved() {
    waits = false;
    slices.begin(wanted);
    control.memoryReserved();
  }

  /**
   * The client is gone and has sent all the bytes that are held of it. If the value is among them,
   * it needs no other memory than they have: it does not wait any more.
   *
   * @return whether it is among them
   */
  boolean endsWith(long heldInput) {
    boolean behind = isBehindReplies;
    end();
    control.resumeFrom(ClientControl.VALUE_MEMORY);
    if (heldInput < wanted) {
      return false;
    }
    isHeld = true;
    isBehindReplies = behind; // their memory would not be granted while this has some
    if (!behind) {
      beginHeld();
    }
    return true;
  }

  /** Withdraws the request for memory. */
  void end() {
    valueMemory.forget(this);
    waits = false;
    isBehindReplies = false;
  }

  /**
   * Called a few times a second: checks whether enough has arrived.
   *
   * @param mayCome whether the client is read, or would be if it read its replies
   */
  void sweep(boolean mayCome) {
    // A whole value waits until the client reads its replies. While it reads some, it is excused.
    boolean isWhole = slices.length() == slices.wanted();
    boolean isRead = isWhole && loop.now() - pressure.takenAt() <= pressure.stallNanos();
    watch.look(slices.added(), slices.wanted(), !slices.isReserved() || isRead || !mayCome);
  }

  /** Whether progress was insufficient for that time, although the client was read. */
  boolean standsStillFor(long nanos) {
    return watch.standsStillFor(nanos);
  }
}
