package sluice.gateway.loop;

import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadEventLoop;
import java.util.Arrays;

/**
 * Flushes every connection that was written to once, when the event loop has handled all sockets
 * that were ready: the requests of many clients leave in one system call.
 *
 * <p>The loop runs queued tasks after it has handled its sockets, so one task a turn does it. A
 * connection may {@linkplain Connection#waitsForMore wait} for what the next turn brings: then the
 * loop looks at its sockets again without sleeping.
 */
final class Turn implements Runnable {
  private final Loop loop;
  private final EventLoop eventLoop;
  private final SingleThreadEventLoop turns; // null where a loop does not tell its turns apart
  private final Runnable next = this::again;
  private Connection[] dirty = new Connection[64];
  private int count;
  private boolean scheduled;

  Turn(Loop loop, EventLoop eventLoop) {
    this.loop = loop;
    this.eventLoop = eventLoop;
    this.turns = eventLoop instanceof SingleThreadEventLoop loops ? loops : null;
  }

  /**
   * Sockets are being handled: there will be an end of this turn.
   *
   * @return whether this is the first that is heard of the turn
   */
  boolean begin() {
    if (scheduled) {
      return false;
    }
    scheduled = true;
    eventLoop.execute(this);
    return true;
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
      if (turns != null && connection.waitsOneMoreTurn()) {
        dirty[waiting++] = connection;
      } else {
        flush(connection);
      }
    }
    count = waiting;
    scheduled = waiting > 0;
    if (scheduled) {
      // As a task of the next turn: one that is queued now would still run in this one.
      turns.executeAfterEventLoopIteration(next);
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

  private void again() {
    eventLoop.execute(this);
  }
}
