package sluice.gateway.loop;

import io.netty.channel.EventLoop;
import java.util.Arrays;

/**
 * Flushes every connection that was written to once, when the event loop has handled all sockets
 * that were ready: the requests of many clients leave in one system call.
 *
 * <p>A connection may {@linkplain Connection#waitsForMore wait} for what the next turn brings: then
 * the loop looks at its sockets again without sleeping. Where the loop's {@link TurnHandler} is not
 * there to end turns, a task does, which runs after the sockets too, and nothing waits.
 */
final class Turn implements TurnHandler.Ending {
  private final Loop loop;
  private final EventLoop eventLoop;
  private final TurnHandler handler; // null: the end of a turn is a task
  private Connection[] dirty = new Connection[64];
  private int count;
  private boolean begun;

  Turn(Loop loop, EventLoop eventLoop) {
    this.loop = loop;
    this.eventLoop = eventLoop;
    this.handler = eventLoop.inEventLoop() ? TurnHandler.current() : null;
    if (handler != null) {
      handler.ends(this);
    }
  }

  /**
   * Sockets are being handled: there will be an end of this turn.
   *
   * @return whether this is the first that is heard of the turn
   */
  boolean begin() {
    if (begun) {
      return false;
    }
    begun = true;
    if (handler == null) {
      eventLoop.execute(this);
    }
    return true;
  }

  /** Whether its end is still to come. */
  @Override
  public boolean hasBegun() {
    return begun;
  }

  /** Flushes connection at the end of this turn. */
  void flushLater(Connection connection) {
    begin();
    if (count == dirty.length) {
      dirty = Arrays.copyOf(dirty, count * 2);
    }
    dirty[count++] = connection;
  }

  @Override
  public void run() {
    loop.tick();
    int waiting = 0;
    // A flush can close a connection, whose closing writes to others: those join this run.
    for (int i = 0; i < count; i++) {
      Connection connection = dirty[i];
      dirty[i] = null;
      if (!connection.awaitsFlush()) {
        continue; // it did not wait for this
      }
      if (handler != null && connection.waitsOneMoreTurn()) {
        dirty[waiting++] = connection;
      } else {
        flush(connection);
      }
    }
    count = waiting;
    begun = waiting > 0;
  }

  /** What fails in one connection must cost no other its flush, now or in any later turn. */
  private static void flush(Connection connection) {
    try {
      connection.flushTurn();
    } catch (RuntimeException e) {
      connection.broken(e);
    }
  }
}
