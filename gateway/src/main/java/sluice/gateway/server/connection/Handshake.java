package sluice.gateway.server.connection;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.ServerVersion;
import sluice.gateway.server.protocol.JoinedReads;
import sluice.gateway.server.protocol.Probe;
import sluice.gateway.server.protocol.Probed;
import sluice.gateway.server.protocol.ServerContext;
import sluice.gateway.server.protocol.ServerProtocol;

/**
 * Handshake phase of one server connection: a probe identifies the server, and logs in if
 * necessary. The results are known from then on.
 */
final class Handshake implements Probed {
  /** Connection of the handshake. */
  interface Owner {
    /** Sends the probe's next request. Consumes bytes. */
    void send(ByteBuf bytes);

    /** The server refused the login. */
    void loginRefused(String answer);

    /**
     * The connection is unusable.
     *
     * @param reason for clients
     * @param detail for logs
     */
    void fail(String reason, String detail);
  }

  private final Owner connection;
  private final ServerContext server;
  private final @Nullable JoinedReads joinedReads; // null: reads are not joined
  private final Probe probe;
  private @Nullable ServerVersion version; // null until the server has reported it

  /** The handshake of connection, which has not begun. */
  Handshake(
      Owner connection,
      ServerProtocol protocol,
      ServerContext server,
      @Nullable JoinedReads joinedReads) {
    this.connection = connection;
    this.server = server;
    this.joinedReads = joinedReads;
    probe = protocol.probe(this, server);
  }

  /** Sends the first request. */
  void begin() {
    probe.send();
  }

  /** Skips the handshake: another connection, which this one is a pipe to, has had it. */
  void skip(@Nullable ServerVersion known) {
    version = known;
  }

  /** Reads the server's answer; returns whether it is complete and successful. Borrows bytes. */
  boolean read(ByteBuf bytes) {
    return probe.read(bytes);
  }

  /** The version of the server, as reported on this connection; before, on another one. */
  ServerVersion version() {
    if (version != null) {
      return version;
    }
    ServerVersion told = server.status().version();
    return told == null ? ServerVersion.UNKNOWN : told;
  }

  @Override
  public void send(ByteBuf bytes) {
    connection.send(bytes);
  }

  @Override
  public void version(ServerVersion told) {
    version = told;
    server.status().version(told);
  }

  @Override
  public void isMemcached(boolean memcached) {
    if (joinedReads != null) {
      joinedReads.isMemcached(memcached);
    }
  }

  @Override
  public void loginRefused(String answer) {
    connection.loginRefused(answer);
  }

  @Override
  public void fail(String reason, String detail) {
    connection.fail(reason, detail);
  }

  /** Releases the bytes of an incomplete answer. */
  void release() {
    probe.release();
  }
}
