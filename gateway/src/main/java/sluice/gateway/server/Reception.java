package sluice.gateway.server;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.connection.Slot;
import sluice.gateway.server.protocol.ServerContext;
import sluice.gateway.server.shared.GuestEnd;
import sluice.gateway.server.shared.Guests;
import sluice.gateway.server.shared.HostEnd;
import sluice.gateway.server.shared.SharedServer;
import sluice.gateway.server.shared.Sharing;

/**
 * Requests of other event loops for a connection to a server, on the host. A loop that asks while a
 * connection is being made waits for it; one that was refused is notified when there is one again.
 * Belongs to the host's thread.
 */
final class Reception {
  /** Owner of the connections: the server. */
  interface Owner {
    ServerContext context();

    /** Whether no further connection is made. */
    boolean isClosed();
  }

  private final Owner server;
  private final Slots slots;
  private final ExclusiveConnections exclusive;
  private final Sharing sharing;
  private final SharedServer shared;
  private final List<GuestEnd> arriving = new ArrayList<>(0); // that wait for a connection
  private final Set<Integer> turnedAway = new HashSet<>(0); // loops that were refused

  Reception(
      Owner server,
      Slots slots,
      ExclusiveConnections exclusive,
      Sharing sharing,
      SharedServer shared) {
    this.server = server;
    this.slots = slots;
    this.exclusive = exclusive;
    this.sharing = sharing;
    this.shared = shared;
  }

  /** Guest's request for an exclusive connection. The guest decides how long it waits. */
  private final class GuestLoan implements Lending.Borrower {
    private final GuestEnd guest;

    GuestLoan(GuestEnd guest) {
      this.guest = guest;
    }

    @Override
    public void lent(ServerConnection connection) {
      join(connection, guest);
    }

    @Override
    public void refused(String reason) {
      sharing.send(guest.loopIndex(), () -> guest.refused(reason));
    }

    @Override
    public boolean isWaiting() {
      return true;
    }
  }

  /** Another loop asks for a connection. */
  void takeIn(GuestEnd guest) {
    if (server.isClosed()) {
      sharing.send(guest.loopIndex(), () -> guest.refused("the gateway is stopping"));
      return;
    }
    if (Slot.isToLend(guest.slot())) {
      exclusive.of(guest.slot()).lendToGuest(new GuestLoan(guest));
      return;
    }
    ServerConnection connection = connection();
    if (connection != null) {
      join(connection, guest);
    } else if (slots.expectFirst()) {
      arriving.add(guest);
      slots.connectFirst();
    } else {
      turnAway(guest, slots.unavailable());
    }
  }

  /**
   * The connection for another loop; null if none accepts requests.
   *
   * <p>A guest whose request timed out may ask before the sweep that notices the late reply.
   */
  private ServerConnection connection() {
    if (slots.first() != null) {
      server.context().loop().tick();
      slots.first().sweep();
    }
    ServerConnection first = slots.first();
    return first != null && first.isAccepting() ? first : null;
  }

  private void join(ServerConnection connection, GuestEnd guest) {
    HostEnd end = Guests.of(connection).takeIn(guest, sharing);
    sharing.send(guest.loopIndex(), () -> guest.reached(end));
  }

  private void turnAway(GuestEnd guest, String reason) {
    turnedAway.add(guest.loopIndex());
    sharing.send(guest.loopIndex(), () -> guest.refused(reason));
  }

  /** There is a connection, for all loops that have waited. */
  void takeInAll(ServerConnection connection) {
    for (GuestEnd guest : List.copyOf(arriving)) {
      join(connection, guest);
    }
    arriving.clear();
    for (int guest : turnedAway) {
      sharing.send(guest, () -> shared.with(guest, SharedServer.View::isBack));
    }
    turnedAway.clear();
  }

  /** There is no connection. */
  void turnAllAway(String reason) {
    for (GuestEnd guest : List.copyOf(arriving)) {
      turnAway(guest, reason);
    }
    arriving.clear();
  }
}
