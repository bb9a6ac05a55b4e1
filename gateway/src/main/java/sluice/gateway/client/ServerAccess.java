package sluice.gateway.client;

import org.jspecify.annotations.Nullable;
import sluice.gateway.client.replies.ServerOrder;
import sluice.gateway.dispatch.Connector;
import sluice.gateway.loop.Loop;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.RingQueue;
import sluice.gateway.server.Server;
import sluice.gateway.server.ServerWaiter;
import sluice.gateway.server.ServerWaits;
import sluice.gateway.server.connection.ServerConnection;

/**
 * Access of one client to server connections. It keeps the client's requests to each server in
 * order, and waits for servers that are being connected or take no more.
 */
final class ServerAccess implements Connector {
  /**
   * Waiter for all servers until a reload. What the former servers tell it later does not concern
   * the next requests, which may wait for others, with other limits.
   */
  private final class Waiter implements ServerWaiter {
    @Override
    public void serverChanged() {
      if (this == waiter) {
        changed();
      }
    }

    @Override
    public void serverTooLate(String reason) {
      if (this == waiter) {
        refused(reason);
      }
    }

    @Override
    public long waitingSince() {
      return waits.since();
    }
  }

  private final ClientControl control;
  private final Loop loop;
  private final int number;
  private final ServerOrder order;
  private final ExclusiveRequest acquired;
  private final ServerWaits waits = new ServerWaits();
  private @Nullable Waiter waiter; // null until the first wait after a reload
  private @Nullable String tooLate; // reason why the current request waits for no server any more
  private @Nullable String failure; // of the last connectionTo

  /**
   * The access of a client whose replies are in ring.
   *
   * @param number of the client, which determines its connection to each server
   */
  ServerAccess(
      ClientControl control,
      Loop loop,
      int number,
      RingQueue<PendingReply> ring,
      ExclusiveRequest acquired) {
    this.control = control;
    this.loop = loop;
    this.number = number;
    this.acquired = acquired;
    this.order = new ServerOrder(ring);
  }

  /** The order of the client's requests to each server. */
  ServerOrder order() {
    return order;
  }

  @Override
  public @Nullable String failure() {
    return failure;
  }

  @Override
  public @Nullable ServerConnection connectionTo(Server server) {
    ServerConnection connection = server.connection(number);
    failure = connection == null ? server.unavailable() : null;
    if (failure != null) {
      server.refused(failure);
      return null;
    }
    if (connection == null || isBehindOthersAt(server)) {
      failure = tooLate;
      if (failure == null) {
        await(server);
      }
      return null;
    }
    if (!order.allows(connection)) {
      control.pauseFor(ClientControl.BARRIER);
      return null;
    }
    return connection;
  }

  /**
   * Whether the current request must wait behind those of others. One that has waited before need
   * not: those of several busy servers would go from one to the other, and never be sent.
   */
  private boolean isBehindOthersAt(Server server) {
    return server.servesWaiting() && tooLate == null && !waits.haveBegun();
  }

  /** The connection for a request that the client does not wait for; null if there is none now. */
  @Nullable ServerConnection readyConnectionTo(Server server) {
    return server.connection(number);
  }

  /** The current request is finished: the next one may wait for servers again. */
  void nextRequest() {
    tooLate = null;
    waits.clear();
  }

  /** The configuration has changed: the current request waits for none of the former servers. */
  void configured() {
    waiter = null;
    nextRequest();
  }

  /**
   * The current request waits for other requests. Its servers may be silent meanwhile, and it may
   * have to wait for them anew.
   */
  void waitsForOther() {
    waits.clear();
  }

  /**
   * Pauses the client until server takes more of a value, or has failed.
   *
   * @param progresses whether it has taken bytes since the last call
   */
  void await(Server server, boolean progresses) {
    if (progresses) {
      waits.clear();
    }
    await(server);
  }

  private void await(Server server) {
    waits.begin(server, loop.now());
    control.pauseFor(ClientControl.SERVER);
    waiter = waiter == null ? new Waiter() : waiter;
    server.await(waiter);
  }

  private void changed() {
    control.goOnFrom(ClientControl.SERVER);
    acquired.sendMore();
  }

  /** It may come from a server that the current request does not wait for any more. */
  private void refused(String reason) {
    if (acquired.serverTooLate(reason, loop.now() - waits.since())) {
      waits.clear(); // if the server still takes some of the value, its next wait is a new one
      changed();
      return;
    }
    if (waits.haveBegun()) {
      tooLate = reason;
    }
    control.goOnFrom(ClientControl.SERVER);
  }
}
