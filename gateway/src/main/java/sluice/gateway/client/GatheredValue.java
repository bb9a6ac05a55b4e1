package sluice.gateway.client;

import sluice.gateway.loop.Loop;
import sluice.gateway.session.Room;

/**
 * The value that a client is sending and that must be whole before anything is done with it: room
 * for all of it is asked for, and then it is watched whether more of it comes, for others may wait
 * for that room.
 */
final class GatheredValue implements Room.Waiter {
  /**
   * Of a value for which others wait for memory, so many bytes, or one of so many parts of it if
   * that is less, must come in each {@code limits.stall}.
   */
  private static final int LEAST_SENT = 64 * 1024;

  private static final int SHARES_SENT = 16;

  private final ClientConnection client;
  private final Room room;
  private final Loop loop;
  private final Pieces pieces;
  private int wanted; // bytes that there was no room for
  private long arrived; // bytes of values, when it was last seen that enough more had come
  private long arrivedAt; // when that was
  private int looks; // since then

  GatheredValue(ClientConnection client, Room room, Loop loop) {
    this.client = client;
    this.room = room;
    this.loop = loop;
    this.pieces = new Pieces(loop, client, room);
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
   * Called a few times a second: looks whether enough more has come.
   *
   * @param mayCome whether the client is read, or would be if it read itself
   */
  void sweep(boolean mayCome) {
    looks++;
    int least = Math.min(LEAST_SENT, Math.max(1, pieces.wanted() / SHARES_SENT));
    if (!pieces.hasRoom() || !mayCome || pieces.added() - arrived >= least) {
      arrivedAt = loop.now();
      arrived = pieces.added();
      looks = 0;
    }
  }

  /** Whether too little has come for so many nanoseconds, though the client was read. */
  boolean standsStillFor(long nanos) {
    return looks >= OrderedReplies.LOOKS && loop.now() - arrivedAt > nanos;
  }
}
