package sluice.gateway.server.protocol;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.gateway.exchange.ServerRequest;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.Direction;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.metrics.ServerMetrics;
import sluice.gateway.server.health.Health;
import sluice.gateway.server.health.ServerStatus;
import sluice.names.Command;

/**
 * What the connections of one event loop to one server report, and what follows: it is counted, and
 * the server's health is told.
 */
public final class Reports {
  private static final Logger LOG = LoggerFactory.getLogger(Reports.class);

  private final Loop loop;
  private final ServerStatus status;
  private final Health health;
  private final LoopMetrics loopMetrics;
  private final ServerMetrics metrics;
  private long recentNanos;

  /**
   * Of a server.
   *
   * @param metrics its own; null if it has no address, and so never a connection
   */
  public Reports(Loop loop, ServerStatus status, LoopMetrics loopMetrics, ServerMetrics metrics) {
    this.loop = loop;
    this.status = status;
    this.health = status.health();
    this.loopMetrics = loopMetrics;
    this.metrics = metrics;
  }

  /** How long replies have taken of late, in nanoseconds; 0 before the first. */
  public long recentNanos() {
    return recentNanos;
  }

  /** So many bytes came from the server. */
  public void bytesIn(int bytes) {
    loopMetrics.bytes(Direction.SERVER_IN, bytes);
  }

  /** So many bytes were written to the server. */
  public void bytesOut(long bytes) {
    loopMetrics.bytes(Direction.SERVER_OUT, bytes);
  }

  /** A value of so many bytes is read in the reply to request. */
  public void valueRead(ServerRequest request, int bytes) {
    if (!request.isRelayed()) {
      loopMetrics.valueRead(bytes);
    }
  }

  /** A whole reply came to request. */
  void answered(ServerRequest request) {
    if (request.relay() != null) {
      return; // its own loop counts it
    }
    if (request.reply() == null) {
      if (request.command() != Command.NOOP) { // which is ours: clients' are answered here
        metrics.lateReplyDropped();
      }
      if (!request.isLate()) {
        health.answered(request.answered(loop.now()), loop.now());
      }
    } else {
      long nanos = request.answered(loop.now());
      metrics.serverTime(nanos);
      recentNanos += (nanos - recentNanos) >> 3;
      health.answered(nanos, loop.now());
    }
  }

  /**
   * A request has no reply in time.
   *
   * @param isFailure whether that is the server's failure
   */
  public void timedOut(ServerRequest request, boolean isFailure) {
    request.late();
    if (isFailure) {
      health.failed("a request timed out", request.started(), loop.now());
    }
    request.outcome(Outcome.TIMEOUT);
  }

  /** The connection that request was sent on is gone. */
  public void lost(ServerRequest request) {
    request.outcome(Outcome.SERVER_DOWN);
  }

  /** A connection is made. */
  public void connects() {
    metrics.connects();
  }

  /** A connection was lost with so many requests on it. */
  public void connectionLost(int requests, String reason) {
    health.failed("a connection with requests in flight was lost", loop.now());
    LOG.warn(
        "pool {}: a connection to server {} closed with {} requests in flight: {}",
        status.pool(),
        status.name(),
        requests,
        reason);
  }

  /** A request failed because there is no connection: why. */
  public void refused(String reason) {
    if (!status.isUsable()) {
      health.failed(reason, loop.now());
    }
  }

  /** A reply broke the protocol: counts it, and says so once. */
  public void protocolError(String message) {
    metrics.protocolError();
    health.failed("a reply broke the protocol", loop.now());
    LOG.warn("pool {}: {}; the connection is closed", status.pool(), message);
  }
}
