package sluice.gateway.client.replies;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import sluice.gateway.dispatch.UnsettledChange;
import sluice.gateway.request.Aggregator;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.RingQueue;
import sluice.gateway.server.connection.ServerConnection;
import sluice.names.Command;

/**
 * Order of one client's requests to each server: they use one connection. When that must change,
 * the next request waits until all earlier ones are answered.
 */
public final class ServerOrder {
  private final RingQueue<PendingReply> ring;
  private final Set<UnsettledChange> lagging = new LinkedHashSet<>();
  private ServerConnection[] used = new ServerConnection[2];
  private int usedCount;

  /** For the client whose pending replies are in ring. */
  public ServerOrder(RingQueue<PendingReply> ring) {
    this.ring = ring;
  }

  /**
   * Whether all earlier requests to the same server used connection or are answered, so that the
   * next may use it, too.
   */
  public boolean allows(ServerConnection connection) {
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
      PendingReply pending = ring.get(i);
      if (pending.subrequests() != null && !pending.subrequests().isAsking()) {
        continue; // it sends the next request itself, and has none in flight
      }
      // A retried read has another connection than the one it was first sent on.
      boolean asked = pending.subrequests() != null || pending.wasSentElsewhere(next);
      if (asked && !pending.isComplete()) {
        return true;
      }
    }
    return lagsOn(next);
  }

  /**
   * Whether a change was answered that the server of next has not settled on another connection.
   */
  public boolean lagsOn(ServerConnection next) {
    for (UnsettledChange each : lagging) {
      if (each.owesElsewhere(next)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether request could overtake an earlier change if it were sent over connection: the same
   * server has not answered the change, on another connection.
   */
  public boolean overtakes(PendingReply request, ServerConnection connection) {
    PendingReply whole = outermost(request);
    for (int i = 0; i < ring.size(); i++) {
      PendingReply earlier = ring.get(i);
      if (earlier == whole) {
        break;
      }
      if (isChange(earlier) && !earlier.isComplete() && owesElsewhere(earlier, connection)) {
        return true;
      }
    }
    return lagsOn(connection);
  }

  /**
   * Whether request could return the effect of a later change if it were sent over connection: the
   * same server may have the change. One that is answered counts, too: it is in the ring as long as
   * request is, and its server is not known any more.
   */
  public boolean fallsBehindChange(PendingReply request, ServerConnection connection) {
    for (int i = ring.indexOf(outermost(request)) + 1; i < ring.size(); i++) {
      PendingReply later = ring.get(i);
      boolean isElsewhere = later.subrequests() == null && later.isWithAnotherServer(connection);
      // No change is, for example, a fence behind reads in quiet form.
      if (!isElsewhere && (later.command().changesItems() || changesAsMeta(later))) {
        return true;
      }
    }
    return false;
  }

  /** Whether an unanswered mg of several pools changes its item: of others it is not known. */
  private static boolean changesAsMeta(PendingReply later) {
    return later.command() == Command.MG && isChange(later);
  }

  /** The reply in the ring that a subrequest belongs to. */
  private static PendingReply outermost(PendingReply request) {
    PendingReply outermost = request;
    for (Aggregator of = request.aggregator(); of != null; of = outermost.aggregator()) {
      PendingReply whole = of.whole();
      if (whole == null) {
        break;
      }
      outermost = whole;
    }
    return outermost;
  }

  private static boolean owesElsewhere(PendingReply change, ServerConnection connection) {
    Aggregator subrequests = change.subrequests();
    return subrequests instanceof UnsettledChange copies
        ? copies.owesElsewhere(connection)
        : subrequests != null || change.wasSentElsewhere(connection);
  }

  /** Whether a request changes items. A read of one server counts as none, even if it does. */
  public static boolean isChange(PendingReply request) {
    if (request.subrequests() instanceof UnsettledChange copies) {
      return copies.isChange();
    }
    return !request.command().isRead() && request.command() != Command.MG;
  }

  /** Whether some server has not executed a change that was answered. */
  public boolean lags() {
    return !lagging.isEmpty();
  }

  /** Everything is answered, and the next requests may go to other servers. */
  public void restart() {
    Arrays.fill(used, 0, usedCount, null);
    usedCount = 0;
  }

  /** Adds an answered change that some of its servers have not answered yet. */
  public void lags(UnsettledChange change) {
    lagging.add(change);
  }

  public void lagsNoMore(UnsettledChange change) {
    lagging.remove(change);
  }

  /** Drops the missing answers of such changes. */
  public void cancel() {
    for (UnsettledChange change : List.copyOf(lagging)) {
      change.cancel();
    }
    lagging.clear();
  }
}
