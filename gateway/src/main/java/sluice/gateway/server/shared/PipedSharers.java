package sluice.gateway.server.shared;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import sluice.gateway.request.RingQueue;
import sluice.gateway.request.ServerRequest;
import sluice.gateway.server.connection.Opaques;
import sluice.gateway.server.connection.ReadPauses;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.connection.Sharers;

/**
 * Other event loops that use one connection to a server, with the owner's end of each pipe. Belongs
 * to the connection's thread.
 */
public final class PipedSharers implements Sharers, OwnerEnd.Owner {
  private final ServerConnection connection;
  private final RingQueue<ServerRequest> queue;
  private final ReadPauses pauses;
  private final List<OwnerEnd> ends = new ArrayList<>(0);
  private int pipes; // number of servers ever created
  private int behind; // sharers with unread bytes
  private int unflushed; // requests

  private PipedSharers(ServerConnection connection) {
    this.connection = connection;
    this.queue = connection.queue();
    this.pauses = connection.replies().pauses();
  }

  /** The sharers of connection, which has some from now on. */
  public static PipedSharers of(ServerConnection connection) {
    if (connection.sharers() instanceof PipedSharers sharers) {
      return sharers;
    }
    PipedSharers sharers = new PipedSharers(connection);
    connection.shareWith(sharers);
    return sharers;
  }

  @Override
  public boolean isEmpty() {
    return ends.isEmpty();
  }

  /** Opens the owner's end of a pipe for another event loop. */
  public OwnerEnd takeIn(OwnerEnd.Sharer of, LoopMailboxes mailboxes) {
    pipes = pipes % Opaques.MOST_PIPES + 1;
    OwnerEnd end = new OwnerEnd(connection, this, of, mailboxes, Opaques.firstOf(pipes));
    end.paused(pauses.isPausing(), pauses.ended());
    ends.add(end);
    return end;
  }

  @Override
  public void leaves(OwnerEnd end) {
    ends.remove(end);
    for (int i = 0; i < queue.size(); i++) {
      ServerRequest request = queue.get(i);
      if (request.relay() == end) {
        request.timedOut(); // its own loop has noted it already
        request.forgetRelay();
      }
    }
  }

  @Override
  public void dismiss() {
    for (int i = 0; i < ends.size(); i++) {
      ends.get(i).dismiss();
    }
  }

  @Override
  public void end(String reason) {
    ServerRequest first = queue.peek();
    ByteBuf part = connection.replies().partialHead();
    try {
      if (first != null && first.relay() != null && part != null) {
        first.relay().reply(part, part.readerIndex(), part.readableBytes());
      }
    } finally { // an internal error must not let them wait for their replies
      for (int i = 0; i < ends.size(); i++) {
        ends.get(i).end(reason);
      }
      ends.clear();
    }
  }

  // --- requests -------------------------------------------------------------------------------

  @Override
  public void asked(int requests) {
    unflushed += requests;
  }

  @Override
  public int takeUnflushed() {
    int taken = unflushed;
    unflushed = 0;
    return taken;
  }

  @Override
  public int inFlight() {
    int theirs = 0;
    if (!ends.isEmpty()) {
      for (int i = 0; i < queue.size(); i++) {
        theirs += queue.get(i).isRelayed() ? 1 : 0;
      }
    }
    return theirs;
  }

  @Override
  public void tellIfTaken() {
    for (int i = 0; i < ends.size(); i++) {
      ends.get(i).tellIfTaken();
    }
  }

  // --- replies --------------------------------------------------------------------------------

  @Override
  public void handOver() {
    for (int i = 0; i < ends.size(); i++) {
      ends.get(i).handOver();
    }
  }

  @Override
  public void fallsBehind() {
    if (behind++ == 0) {
      connection.replies().waitsForSharers(true);
    }
  }

  @Override
  public void catchesUp() {
    if (--behind == 0) {
      connection.replies().waitsForSharers(false);
    }
  }

  @Override
  public void tellOfPause() {
    for (int i = 0; i < ends.size(); i++) {
      ends.get(i).paused(pauses.isPausing(), pauses.ended());
    }
  }

  @Override
  public void sweep() {
    for (int i = ends.size() - 1; i >= 0; i--) {
      OwnerEnd end = ends.get(i);
      end.heard(pauses.heardAt());
      end.resumeIfRead();
      end.tellIfTaken();
      if (behind > 0) {
        connection.replies().checkPressure(end, null); // the connection may have paused reading
      }
    }
  }
}
