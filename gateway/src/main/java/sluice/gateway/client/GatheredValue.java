package sluice.gateway.client;

import sluice.gateway.loop.Loop;
import sluice.gateway.session.Room;

/**
 * The value that a client is sending and that must be whole before anything is done with it: room
 * for all of it is asked for, and then it is watched whether more of it comes, for others may wait
 * for that room.
 */
final class GatheredValue implements Room.Waiter {
  private final ClientControl control;
  private final Room room;
  private final Pieces pieces;
  private final ArrivalWatch watch;
  private int wanted; // bytes that there was no room for

  GatheredValue(ClientControl control, BackPressure pressure, Room room, Loop loop) {
    this.control = control;
    this.room = room;
    this.watch = new ArrivalWatch(loop);
    this.pieces = new Pieces(loop, pressure, room);
  }

  /** What has come of it. */
  Pieces pieces() {
    return pieces;
  }

  /** A value of so many bytes is to be gathered, as soon as there is room for all of it. */
  void begin(int length) {
    if (room.take(length, this)) {
      pieces.begin(length);
    } else {
      wanted = length;
      control.pauseFor(ClientControl.MEMORY);
    }
  }

  @Override
  public void roomTaken() {
    pieces.begin(wanted);
    control.goOnFrom(ClientControl.MEMORY);
  }

  /** Wants no room any more. */
  void end() {
    room.forget(this);
  }

  /**
   * Called a few times a second: looks whether enough more has come.
   *
   * @param mayCome whether the client is read, or would be if it read itself
   */
  void sweep(boolean mayCome) {
    watch.look(pieces.added(), pieces.wanted(), !pieces.hasRoom() || !mayCome);
  }

  /** Whether too little has come for so many nanoseconds, though the client was read. */
  boolean standsStillFor(long nanos) {
    return watch.standsStillFor(nanos);
  }
}
