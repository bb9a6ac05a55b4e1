package sluice.gateway.server;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.connection.Slot;
import sluice.gateway.server.protocol.ServerContext;
import sluice.gateway.server.shared.LoopMailboxes;
import sluice.gateway.server.shared.OwnerEnd;
import sluice.gateway.server.shared.PipedSharers;
import sluice.gateway.server.shared.SharedServer;
import sluice.gateway.server.shared.SharerEnd;

/**
 * Requests of other event loops for a connection to a server, on the owner. A loop that asks while
 * a connection is being made waits for it; one that was refused is notified when there is one
 * again. Belongs to the owner's thread.
 */
final class SharedConnections {
  /** Owner of the connections: the server. */
  interface Owner {
    ServerContext context();

    /** Whether no further connection is made. */
    boolean isClosed();
  }

  private final Owner server;
  private final Slots slots;
  private final ExclusiveConnections exclusive;
  private final LoopMailboxes mailboxes;
  private final SharedServer shared;
  private final List<SharerEnd> arriving = new ArrayList<>(0); // that wait for a connection
  private final Set<Integer> turnedAway = new HashSet<>(0); // loops that were refused

  SharedConnections(Owner server, Slots slots, ExclusiveConnections exclusive, Shared shared) {
    this.server = server;
    this.slots = slots;
    this.exclusive = exclusive;
    this.mailboxes = shared.mailboxes();
    this.shared = shared.server();
  }

  /** Sharer's request for an exclusive connection. The sharer decides how long it waits. */
  private final class SharerLease implements ExclusivePool.Acquirer {
    private final SharerEnd sharer;

    SharerLease(SharerEnd sharer) {
      this.sharer = sharer;
    }

    @Override
    public void acquired(ServerConnection connection) {
      join(connection, sharer);
    }

    @Override
    public void refused(String reason) {
      mailboxes.send(sharer.loopIndex(), () -> sharer.refused(reason));
    }

    @Override
    public boolean isWaiting() {
      return true;
    }
  }

  /** Another loop asks for a connection. */
  void takeIn(SharerEnd sharer) {
    if (server.isClosed()) {
      mailboxes.send(sharer.loopIndex(), () -> sharer.refused("the gateway is stopping"));
      return;
    }
    if (Slot.isExclusive(sharer.slot())) {
      exclusive.of(sharer.slot()).acquireForSharer(new SharerLease(sharer));
      return;
    }
    ServerConnection connection = connection();
    if (connection != null) {
      join(connection, sharer);
      return;
    }
    String refusal = slots.whyNoFirst();
    if (refusal == null) {
      arriving.add(sharer);
      slots.connectFirst();
    } else {
      turnAway(sharer, refusal);
    }
  }

  /**
   * The connection for another loop; null if none accepts requests.
   *
   * <p>A sharer whose request timed out may ask before the sweep that notices the late reply.
   */
  private @Nullable ServerConnection connection() {
    ServerConnection first = slots.first();
    if (first != null) {
      server.context().loop().tick();
      try {
        first.sweep();
      } catch (Throwable e) { // the other loop is answered all the same: it asks only once
        first.broken(e);
      }
    }
    return slots.firstForSharers();
  }

  private void join(ServerConnection connection, SharerEnd sharer) {
    OwnerEnd end = PipedSharers.of(connection).takeIn(sharer, mailboxes);
    mailboxes.send(sharer.loopIndex(), () -> sharer.reached(end));
  }

  private void turnAway(SharerEnd sharer, String reason) {
    turnedAway.add(sharer.loopIndex());
    mailboxes.send(sharer.loopIndex(), () -> sharer.refused(reason));
  }

  /** There is a connection, for all loops that have waited. */
  void takeInAll(ServerConnection connection) {
    for (SharerEnd sharer : List.copyOf(arriving)) {
      join(connection, sharer);
    }
    arriving.clear();
    for (int sharer : turnedAway) {
      mailboxes.send(sharer, () -> shared.with(sharer, SharedServer.View::isBack));
    }
    turnedAway.clear();
  }

  /** There is no connection. */
  void turnAllAway(String reason) {
    for (SharerEnd sharer : List.copyOf(arriving)) {
      turnAway(sharer, reason);
    }
    arriving.clear();
  }
}
