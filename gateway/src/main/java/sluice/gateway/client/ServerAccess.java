package sluice.gateway.client;

import sluice.gateway.dispatch.Connector;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.RingQueue;
import sluice.gateway.loop.Loop;
import sluice.gateway.server.Server;
import sluice.gateway.server.ServerWaiter;
import sluice.gateway.server.connection.ServerConnection;

/**
 * Access of one client to server connections: keeps its requests to one server in their order, and
 * waits for servers that are being reached or take no more.
 */
final class ServerAccess implements ServerWaiter, Connector {
  private final ClientControl control;
  private final Loop loop;
  private final int number;
  private final ServerOrder order;
  private final LentRequest lent;
  private long waitingSince;
  private String tooLate; // why a server was waited for in vain; null if none was
  private String failure; // of the last connectionTo

  /**
   * The access of a client whose replies are in ring.
   *
   * @param number of the client, which decides which of a server's connections it uses
   */
  ServerAccess(
      ClientControl control, Loop loop, int number, RingQueue<Exchange> ring, LentRequest lent) {
    this.control = control;
    this.loop = loop;
    this.number = number;
    this.lent = lent;
    this.order = new ServerOrder(ring);
  }

  /** The order of the client's requests to each server. */
  ServerOrder order() {
    return order;
  }

  @Override
  public String failure() {
    return failure;
  }

  @Override
  public ServerConnection connectionTo(Server server) {
    failure = takeTooLate();
    if (failure != null) {
      return null;
    }
    ServerConnection connection = server.connection(number);
    if (connection == null) {
      failure = server.unavailable();
      if (failure == null) {
        await(server);
      } else {
        server.refused();
      }
      return null;
    }
    if (!order.allows(connection)) {
      control.pauseFor(ClientControl.BARRIER);
      return null;
    }
    return connection;
  }

  /** The connection for a request that the client does not wait for; null if there is none now. */
  ServerConnection readyConnectionTo(Server server) {
    return server.connection(number);
  }

  /** Why the request that is being looked at may wait for no server any more; null if it may. */
  String takeTooLate() {
    String reason = tooLate;
    tooLate = null;
    return reason;
  }

  /** Nothing more is read from the client until server takes more, or has failed. */
  void await(Server server) {
    waitingSince = loop.now();
    control.pauseFor(ClientControl.SERVER);
    server.await(this);
  }

  @Override
  public void serverChanged() {
    control.goOnFrom(ClientControl.SERVER);
    lent.sendMore();
  }

  @Override
  public void serverTooLate(String reason) {
    if (!lent.serverTooLate(reason)) {
      tooLate = reason;
    }
    control.goOnFrom(ClientControl.SERVER);
  }

  @Override
  public long waitingSince() {
    return waitingSince;
  }
}
