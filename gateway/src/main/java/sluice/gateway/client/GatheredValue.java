package sluice.gateway.client;

import sluice.gateway.loop.Loop;

/**
 * The value that a client is sending and that must be whole before anything is done with it: room
 * for all of it is asked for, and then it is watched whether more of it comes, for others may wait
 * for that room.
 */
final class GatheredValue implements Room.Waiter {
  private final ClientConnection client;
  private final Room room;
  private final Loop loop;
  private final Pieces pieces;
  private int wanted; // bytes that there was no room for
  private int arrived; // bytes, when it was last looked at
  private long arrivedAt; // when it was seen that more had come
  private int looks; // since then

  GatheredValue(ClientConnection client, Room room, Loop loop) {
    this.client = client;
    this.room = room;
    this.loop = loop;
    this.pieces = new Pieces(client, room);
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
      client.pauseFor(OrderedReplies.MEMORY);
    }
  }

  @Override
  public void roomTaken() {
    pieces.begin(wanted);
    client.goOnFrom(OrderedReplies.MEMORY);
  }

  /** Wants no room any more. */
  void end() {
    room.forget(this);
  }

  /**
   * Called a few times a second: looks whether more has come.
   *
   * @param mayCome whether the client is read
   */
  void sweep(boolean mayCome) {
    looks++;
    if (!pieces.hasRoom() || !mayCome || pieces.bytes() != arrived) {
      arrivedAt = loop.now();
      looks = 0;
    }
    arrived = pieces.bytes();
  }

  /** Whether nothing more has come for so many nanoseconds, though the client was read. */
  boolean standsStillFor(long nanos) {
    return looks >= OrderedReplies.LOOKS && loop.now() - arrivedAt > nanos;
  }
}
