package sluice.gateway.server.protocol;

import io.netty.buffer.ByteBuf;
import sluice.codecs.ProtocolException;
import sluice.gateway.exchange.ExchangePool;
import sluice.gateway.exchange.ServerRequest;
import sluice.gateway.loop.Loop;
import sluice.gateway.server.health.ServerStatus;

/**
 * What the connections of one event loop to one server need to know of it: its name and status, its
 * timeout and login, its counters, and the texts of errors about it. Belongs to that loop.
 */
public final class ServerContext {
  private final Loop loop;
  private final ExchangePool exchanges;
  private final ServerStatus status;
  private final Reports reports;
  private final long timeoutNanos;
  private final ServerLogin login;

  /**
   * Of a server.
   *
   * @param login null if its pool has none
   */
  public ServerContext(
      Loop loop,
      ExchangePool exchanges,
      ServerStatus status,
      Reports reports,
      long timeoutNanos,
      ServerLogin login) {
    this.loop = loop;
    this.exchanges = exchanges;
    this.status = status;
    this.reports = reports;
    this.timeoutNanos = timeoutNanos;
    this.login = login;
  }

  /** The event loop of its connections. */
  public Loop loop() {
    return loop;
  }

  /** The pool of that loop's exchanges. */
  public ExchangePool exchanges() {
    return exchanges;
  }

  /** Its identity in the pool. */
  public String name() {
    return status.name();
  }

  /** What is known of it beyond this event loop. */
  public ServerStatus status() {
    return status;
  }

  /** The counters of what its connections do. */
  public Reports reports() {
    return reports;
  }

  /** How long it may take to answer. */
  public long timeoutNanos() {
    return timeoutNanos;
  }

  /** What it is told if it wants a login; null if there is nothing to tell. */
  public ServerLogin login() {
    return login;
  }

  /** Why a server that wants a login cannot be used without one. */
  public String wantsLogin() {
    return "server " + name() + " wants authentication, and the pool has no auth";
  }

  /** What clients are told when there is no connection. */
  public String unreachable(String why) {
    return "server " + name() + " is unreachable: " + why;
  }

  /** What clients are told when a reply makes no sense. */
  public String brokeProtocol() {
    return "server " + name() + " broke the protocol";
  }

  /** What is said of bytes, [from, to) of in, that are no reply to request. Borrows in. */
  public ProtocolException unexpected(ByteBuf in, int from, int to, ServerRequest request) {
    return new ProtocolException(
        "server "
            + name()
            + " broke the protocol: found "
            + Excerpt.of(in, from, to)
            + ", expected the reply to "
            + request.command().label());
  }
}
