package sluice.gateway.loop;

import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Flushes every connection that was written to once, when the event loop has handled all sockets
 * that were ready: the requests of many clients leave in one system call.
 *
 * <p>A connection that has done enough for one turn goes on at the end of it, once, or at the end
 * of the next if others have used up the time for that: all sockets are looked at in between.
 *
 * <p>A connection may {@linkplain Connection#waitsForMore wait} for what the next turn brings: then
 * the loop looks at its sockets again without sleeping. Where the loop's {@link TurnHandler} is not
 * there to end turns, a task does, which runs after the sockets too, and nothing waits.
 */
final class Turn implements TurnHandler.Ending {
  /** How long sockets wait, at most, for the connections that go on. */
  private static final long GO_ON_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final Loop loop;
  private final EventLoop eventLoop;
  private final TurnHandler handler; // null: the end of a turn is a task
  private final ArrayDeque<Connection> goingOn = new ArrayDeque<>();
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

  /** Calls connection's {@link Connection#goOn} at the end of this turn. */
  void goOnLater(Connection connection) {
    begin();
    goingOn.add(connection);
  }

  @Override
  public void run() {
    loop.tick();
    goOn();
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
    begun = waiting > 0 || !goingOn.isEmpty();
    if (begun && handler == null) {
      eventLoop.execute(this);
    }
  }

  /**
   * Goes on with connections that asked for it; one that asks again has to wait for the next turn.
   */
  private void goOn() {
    long end = loop.now() + GO_ON_NANOS;
    for (int left = goingOn.size(); left > 0 && end - loop.now() > 0; left--) {
      Connection connection = goingOn.poll();
      try {
        connection.goOn();
      } catch (RuntimeException e) {
        connection.broken(e);
      }
      loop.tick();
    }
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
