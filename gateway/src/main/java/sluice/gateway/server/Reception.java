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
 * As a host: the other event loops that ask for a connection to a server. Who comes while one is
 * being made waits for it; who was turned away is told when there is one again. Belongs to the
 * host's thread.
 */
final class Reception {
  /** The server. */
  interface Owner {
    ServerContext context();

    /** Whether no other connection is made. */
    boolean isClosed();
  }

  private final Owner server;
  private final Slots slots;
  private final ExclusiveConnections exclusive;
  private final Sharing sharing;
  private final SharedServer shared;
  private final List<GuestEnd> arriving = new ArrayList<>(0); // who wait for a connection
  private final Set<Integer> turnedAway = new HashSet<>(0); // loops whom there was none for

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

  /** A guest's request for a connection to be lent; for how long it waits is the guest's to say. */
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
   * The connection for another loop; null if there is none that takes requests.
   *
   * <p>A guest whose request timed out comes before the sweep that finds the reply late.
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

  /** There is a connection: for all who have waited for one. */
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

  /** There is none. */
  void turnAllAway(String reason) {
    for (GuestEnd guest : List.copyOf(arriving)) {
      turnAway(guest, reason);
    }
    arriving.clear();
  }
}
