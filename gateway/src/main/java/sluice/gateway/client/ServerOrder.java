package sluice.gateway.client;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import sluice.gateway.dispatch.UnsettledChange;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.RingQueue;
import sluice.gateway.server.connection.ServerConnection;

/**
 * Keeps the requests of one client to one server in their order: they go one way, and when that
 * becomes another, the next waits until all before it are answered.
 */
public final class ServerOrder {
  private final RingQueue<Exchange> ring;
  private final Set<UnsettledChange> lagging = new LinkedHashSet<>();
  private ServerConnection[] used = new ServerConnection[2];
  private int usedCount;

  /** For the client whose exchanges are in ring. */
  ServerOrder(RingQueue<Exchange> ring) {
    this.ring = ring;
  }

  /**
   * Whether all earlier requests to the same server went over connection or are answered: then the
   * next goes over it, too.
   */
  boolean allows(ServerConnection connection) {
    for (int i = 0; i < usedCount; i++) {
      if (used[i] == connection) {
        return true;
      }
      if (used[i].isToSameServerAs(connection)) {
        if (owesElsewhere(connection)) {
          return false;
        }
        used[i] = connection;
        return true;
      }
    }
    if (usedCount == used.length) {
      used = Arrays.copyOf(used, usedCount * 2);
    }
    used[usedCount++] = connection;
    return true;
  }

  /** Whether the server of next owes an answer on another connection. */
  private boolean owesElsewhere(ServerConnection next) {
    for (int i = 0; i < ring.size(); i++) {
      Exchange exchange = ring.get(i);
      if (exchange.parts() != null && !exchange.parts().isAsking()) {
        continue; // it is what asks for next, and nothing of it is under way
      }
      // A read that is asked again has another connection than the one it was sent to first.
      boolean asked = exchange.parts() != null || exchange.wasSentElsewhere(next);
      if (asked && !exchange.isComplete()) {
        return true;
      }
    }
    return lagsOn(next);
  }

  /** Whether a change is answered that the server of next owes an answer to elsewhere. */
  boolean lagsOn(ServerConnection next) {
    for (UnsettledChange each : lagging) {
      if (each.owesElsewhere(next)) {
        return true;
      }
    }
    return false;
  }

  /** Everything is answered, and the next requests may go to other servers. */
  void restart() {
    Arrays.fill(used, 0, usedCount, null);
    usedCount = 0;
  }

  /** A change is answered that some of its servers have yet to answer. */
  void lags(UnsettledChange change) {
    lagging.add(change);
  }

  void lagsNoMore(UnsettledChange change) {
    lagging.remove(change);
  }

  /** Nobody waits for what lags. */
  void cancel() {
    for (UnsettledChange change : List.copyOf(lagging)) {
      change.cancel();
    }
    lagging.clear();
  }
}
