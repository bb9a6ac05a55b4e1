package sluice.gateway.client;

import sluice.gateway.client.input.ArrivalWatch;
import sluice.gateway.loop.Loop;
import sluice.gateway.session.LineMemory;

/**
 * Account of a request line that a client is sending in parts. The reader of its dialect owns the
 * bytes. Before the line becomes long, memory for the longest is reserved. Its progress is
 * observed, because others may wait for that memory.
 */
public final class GatheredLine implements LineMemory.Waiter {
  /** Shorter ones need not make progress: they are not much more than their connection takes. */
  private static final int LEAST_OBSERVED = 2048;

  private final ClientControl control;
  private final BackPressure pressure;
  private final LineMemory lineMemory;
  private final ArrivalWatch watch;
  private int length;
  private int counted; // bytes that count as held
  private int complete; // bytes of a long line that is complete
  private boolean grows; // is not complete
  private boolean reserved;
  private boolean waits; // for a reservation
  private boolean last; // the client sends nothing more
  private long added; // bytes that were ever added

  GatheredLine(ClientControl control, BackPressure pressure, LineMemory lineMemory, Loop loop) {
    this.control = control;
    this.pressure = pressure;
    this.lineMemory = lineMemory;
    this.watch = new ArrivalWatch(loop);
  }

  /**
   * Whether the line may become longer than {@link LineMemory#SHORT}. If not, the client is paused
   * until it may.
   */
  public boolean mayBeLong() {
    if (reserved || last) {
      return true;
    }
    if (!lineMemory.reserve(this)) {
      waits = true;
      control.pauseFor(ClientControl.VALUE_MEMORY);
      return false;
    }
    begin();
    return true;
  }

  @Override
  public void memoryReserved() {
    waits = false;
    begin();
    control.memoryReserved();
  }

  private void begin() {
    reserved = true;
    count(Math.max(length, LineMemory.LONGEST));
  }

  private void count(int bytes) {
    if (bytes != counted) {
      pressure.holdValue(bytes - counted);
      counted = bytes;
    }
  }

  /** Whether memory is reserved for the rest of the line. */
  boolean isReserved() {
    return reserved;
  }

  /** Adds the next bytes of the line. */
  public void add(int bytes) {
    grows = true;
    added += bytes;
    length += bytes;
    count(reserved ? Math.max(length, LineMemory.LONGEST) : length);
  }

  /** All of the line is here. It counts until it is {@linkplain #release released}. */
  public void complete() {
    grows = false;
    unreserve();
    count(length);
    if (length > LineMemory.SHORT) {
      complete = length;
      lineMemory.addComplete(complete);
    }
  }

  /** The line is handed over or dropped. */
  public void release() {
    grows = false;
    unreserve();
    lineMemory.addComplete(-complete);
    complete = 0;
    length = 0;
    count(0);
  }

  private void unreserve() {
    if (reserved) {
      reserved = false;
      lineMemory.release();
    }
  }

  /** The client is gone: the bytes that are held of it are all, and need no more memory. */
  void endWaiting() {
    last = true;
    if (waits) {
      withdraw();
      control.resumeFrom(ClientControl.VALUE_MEMORY);
    }
  }

  private void withdraw() {
    lineMemory.forget(this);
    waits = false;
  }

  /** The line will never be complete, even if memory was reserved before its first byte is here. */
  void end() {
    withdraw();
    release();
  }

  /**
   * Called a few times a second: checks whether enough has arrived.
   *
   * @param mayCome whether the client is read, or would be if it read its replies
   */
  void sweep(boolean mayCome) {
    boolean observed = grows && length > LEAST_OBSERVED && mayCome;
    watch.look(added, reserved ? LineMemory.LONGEST : LineMemory.SHORT, !observed);
  }

  /** Whether progress was insufficient for that time, although the client was read. */
  boolean standsStillFor(long nanos) {
    return watch.standsStillFor(nanos);
  }
}
