package sluice.gateway.loop;

import io.netty.channel.EventLoop;
import java.util.Arrays;

/**
 * Flushes every connection that was written to once, when the event loop has handled all sockets
 * that were ready: the requests of many clients leave in one system call.
 *
 * <p>The loop runs queued tasks after it has handled its sockets, so one task a turn does it.
 */
final class Turn implements Runnable {
  private final Loop loop;
  private final EventLoop eventLoop;
  private Connection[] dirty = new Connection[64];
  private int count;

  Turn(Loop loop, EventLoop eventLoop) {
    this.loop = loop;
    this.eventLoop = eventLoop;
  }

  /** Flushes connection at the end of this turn. */
  void flushLater(Connection connection) {
    if (count == 0) {
      eventLoop.execute(this);
    }
    if (count == dirty.length) {
      dirty = Arrays.copyOf(dirty, count * 2);
    }
    dirty[count++] = connection;
  }

  @Override
  public void run() {
    loop.tick();
    // A flush can close a connection, whose closing writes to others: those join this run.
    for (int i = 0; i < count; i++) {
      Connection connection = dirty[i];
      dirty[i] = null;
      connection.flushTurn();
    }
    count = 0;
  }
}
