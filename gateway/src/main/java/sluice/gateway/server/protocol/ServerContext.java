package sluice.gateway.server.protocol;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.ProtocolException;
import sluice.gateway.loop.Loop;
import sluice.gateway.request.RequestPool;
import sluice.gateway.request.ServerRequest;
import sluice.gateway.server.health.ServerStatus;

/**
 * Facts about a server for one event loop's connections to it: name, status, timeout, login,
 * counters, and the texts of errors. Belongs to that loop.
 */
public final class ServerContext {
  private final Loop loop;
  private final RequestPool requestPool;
  private final ServerStatus status;
  private final Reports reports;
  private final long timeoutNanos;
  private final @Nullable ServerLogin login;
  private int lastOpaque;

  /**
   * @param login null if its pool has none
   */
  public ServerContext(
      Loop loop,
      RequestPool requestPool,
      ServerStatus status,
      Reports reports,
      long timeoutNanos,
      @Nullable ServerLogin login) {
    this.loop = loop;
    this.requestPool = requestPool;
    this.status = status;
    this.reports = reports;
    this.timeoutNanos = timeoutNanos;
    this.login = login;
  }

  /** The event loop of its connections. */
  public Loop loop() {
    return loop;
  }

  /** The pool of that loop's pending replies. */
  public RequestPool requestPool() {
    return requestPool;
  }

  /** Its identity in the pool. */
  public String name() {
    return status.name();
  }

  /** State of the server across event loops. */
  public ServerStatus status() {
    return status;
  }

  /** Receiver of the connections' reports. */
  public Reports reports() {
    return reports;
  }

  /** Timeout of its replies. */
  public long timeoutNanos() {
    return timeoutNanos;
  }

  /**
   * The next number for opaques. Connections do not begin anew: a request that is sent again over
   * another connection keeps its opaque, which no other request in flight there may have.
   */
  public int nextOpaque() {
    return ++lastOpaque;
  }

  /** Login, for a server that requires one; null if there is none. */
  public @Nullable ServerLogin login() {
    return login;
  }

  /** Error text for a server that requires a login if there is none. */
  public String wantsLogin() {
    return "server " + name() + " requires a login, and the pool has no auth";
  }

  /** Error text for clients if there is no connection. */
  public String unreachable(String why) {
    return "server " + name() + " is unreachable: " + why;
  }

  /** Error text for clients if a reply is invalid. */
  public String brokeProtocol() {
    return "server " + name() + " broke the protocol";
  }

  /** Why a connection closes if its server has not answered in time. */
  public String didNotAnswer() {
    return "server " + name() + " did not answer";
  }

  /** Error text for clients if a reply comes before the server has the whole request. */
  public String answeredEarly() {
    return "server " + name() + " answered before it had the whole value";
  }

  /** The exception for bytes, [from, to) of in, that are no reply to request. Borrows in. */
  public ProtocolException unexpected(ByteBuf in, int from, int to, ServerRequest request) {
    return new ProtocolException(
        "server "
            + name()
            + " broke the protocol: found "
            + Excerpt.of(in, from, to)
            + ", expected the reply to "
            + request.command().label());
  }

  /**
   * The exception for an error, [from, to) of in, inside the reply to a get of several keys, after
   * which nothing can be interpreted. Borrows in.
   */
  public ProtocolException noEnd(ByteBuf in, int from, int to) {
    return new ProtocolException(
        "server "
            + name()
            + ": found "
            + Excerpt.of(in, from, to)
            + " in the reply to a get of several keys, so the end of the reply is unknown;"
            + " from now on, each key gets a line of its own");
  }
}
