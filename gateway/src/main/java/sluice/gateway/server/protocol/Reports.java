package sluice.gateway.server.protocol;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.Direction;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.metrics.ServerMetrics;
import sluice.gateway.request.ServerRequest;
import sluice.gateway.server.health.Health;
import sluice.gateway.server.health.ServerStatus;
import sluice.names.Command;

/**
 * Receiver of reports from one event loop's connections to one server. It counts them and updates
 * the server's health.
 */
public final class Reports {
  private static final Logger LOG = LoggerFactory.getLogger(Reports.class);

  private final Loop loop;
  private final ServerStatus status;
  private final Health health;
  private final LoopMetrics loopMetrics;
  private final @Nullable ServerMetrics metrics;
  private long recentNanos;
  private boolean affectsHealth = true;

  /**
   * Reports about a server.
   *
   * @param metrics its own; null if it has no address, and so never a connection
   */
  public Reports(
      Loop loop, ServerStatus status, LoopMetrics loopMetrics, @Nullable ServerMetrics metrics) {
    this.loop = loop;
    this.status = status;
    this.health = status.health();
    this.loopMetrics = loopMetrics;
    this.metrics = metrics;
  }

  @SuppressWarnings("NullAway") // it has some if it ever has a connection
  private ServerMetrics metrics() {
    return metrics;
  }

  /**
   * Recent response time in nanoseconds; 0 before the first reply. A request that times out counts
   * with the time that it has waited.
   */
  public long recentNanos() {
    return recentNanos;
  }

  /**
   * Sets whether events on its connections affect the health. They do not before the server is in
   * use, and no longer after that: another one then has its name, and shares its health.
   */
  public void affectHealth(boolean now) {
    affectsHealth = now;
  }

  /** The ejected server answers again. */
  public void answeredProbe() {
    if (affectsHealth) {
      health.answeredProbe(loop.now());
    }
  }

  private void failed(String reason) {
    if (affectsHealth) {
      health.failed(reason, loop.now());
    }
  }

  /** Counts bytes from the server. */
  public void bytesIn(int bytes) {
    loopMetrics.bytes(Direction.SERVER_IN, bytes);
  }

  /** Counts bytes to the server. */
  public void bytesOut(long bytes) {
    loopMetrics.bytes(Direction.SERVER_OUT, bytes);
  }

  /** Records the length of a value in the reply to request. */
  public void valueRead(ServerRequest request, int bytes) {
    if (!request.isRelayed()) {
      loopMetrics.valueRead(bytes);
    }
  }

  /**
   * A complete reply to request came.
   *
   * @param pausedNanos total time of the server connection's pauses until now
   */
  void answered(ServerRequest request, long pausedNanos) {
    if (request.relay() != null) {
      return; // its own loop counts it
    }
    if (request.reply() == null) {
      // the gateway's own request: those of clients are answered without a server
      if (request.command() != Command.NOOP) {
        metrics().lateReplyDropped();
      }
      if (!request.hasTimedOut()) {
        took(request.answered(loop.now(), pausedNanos));
      }
    } else {
      long nanos = request.answered(loop.now(), pausedNanos);
      metrics().serverTime(nanos);
      took(nanos);
    }
  }

  private void took(long nanos) {
    averages(nanos);
    if (affectsHealth) {
      health.answered(nanos, loop.now());
    }
  }

  private void averages(long nanos) {
    recentNanos += (nanos - recentNanos) >> 3;
  }

  /**
   * A request got no reply in time.
   *
   * @param isFailure whether the server is to blame
   */
  public void timedOut(ServerRequest request, boolean isFailure) {
    request.timedOut();
    if (isFailure) {
      metrics().failed();
      if (affectsHealth) {
        health.failed("a request timed out", request.started(), loop.now());
      }
      averages(loop.now() - request.started());
    }
    request.outcome(Outcome.TIMEOUT);
  }

  /** The connection that request was sent on is gone. */
  public void lost(ServerRequest request) {
    metrics().failed();
    request.outcome(Outcome.SERVER_DOWN);
  }

  /** A read is sent once more. */
  public void retried() {
    metrics().retried();
  }

  /** Counts an attempt to connect. */
  public void connects() {
    metrics().connects();
  }

  /** A connection was lost, with a number of requests on it. */
  public void connectionLost(int requests, String reason) {
    failed("a connection with requests in flight was lost");
    LOG.warn(
        "pool {}: a connection to server {} closed with {} in flight: {}",
        status.pool(),
        status.name(),
        requests == 1 ? "1 request" : requests + " requests",
        reason);
  }

  /** A request failed for a reason, because there is no connection. */
  public void refused(String reason) {
    if (!status.isUsable()) {
      failed(reason);
    }
  }

  /** Counts a reply that broke the protocol, and logs the first. */
  public void protocolError(String message) {
    metrics().protocolError();
    failed("a reply broke the protocol");
    LOG.warn("pool {}: {}; the connection is closed", status.pool(), message);
  }
}
