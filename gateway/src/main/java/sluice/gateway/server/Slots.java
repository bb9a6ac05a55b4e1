package sluice.gateway.server;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.gateway.loop.Loop;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.health.Health;
import sluice.gateway.server.protocol.ServerContext;

/**
 * Shared connections of one event loop to one server, one for each slot. A connection is made when
 * a request needs it, and again when it was lost or accepts no requests for a while.
 *
 * <p>While a check of a silent connection is not answered, another is made. It takes the place of
 * the silent one, unless that is heard first.
 *
 * <p>If one cannot be made, the others take its clients' requests. If none can be made, requests
 * fail at once, and a connection is tried again every {@code probeAfter}. After the last one was
 * lost, one is made {@code probeAfter} later unless a request made one before, so that the reported
 * state is soon correct.
 */
final class Slots {
  private static final Logger LOG = LoggerFactory.getLogger(Slots.class);

  /** Owner of the connections: the server. */
  interface Owner {
    ServerContext context();

    /** Whether no further connection is made. */
    boolean isClosed();

    /** Whether it is in a pool that is in use, and the gateway is not stopping. */
    boolean isServing();

    /** Requests may be sent on connection. */
    void available(ServerConnection connection);
  }

  private final Owner server;
  private final Dials dials;
  private final Loop loop;
  private final Health health;
  private final long probeAfterNanos;
  private final long answerNanos;
  private final @Nullable ServerConnection[] current;
  private final boolean[] connecting;
  private final boolean[] failed; // whether the last attempt was in vain, beside other connections
  private int returns; // number of the server's returns that is known here
  private @Nullable String unavailable;
  private long retryAt;
  // the last connection was lost unexpectedly, so the server's state must be determined
  private boolean lostAll;

  /** A number of slots for connections to server, without a connection yet. */
  Slots(int count, Owner server, Dials dials, Health health, ServerSettings settings) {
    this.server = server;
    this.dials = dials;
    this.loop = server.context().loop();
    this.health = health;
    this.probeAfterNanos = settings.probeAfterNanos();
    this.answerNanos = settings.queueTimeoutNanos() / 4;
    this.current = new ServerConnection[count];
    this.connecting = new boolean[count];
    this.failed = new boolean[count];
    this.returns = health.returns();
  }

  // --- who needs one ------------------------------------------------------------------------

  /** The connection for a client that accepts requests now; null if there is none. */
  @Nullable ServerConnection connection(int client) {
    int slot = Math.floorMod(client, current.length);
    ServerConnection connection = current[slot];
    if (connection != null && connection.isAccepting() && !(failed[slot] && isUnanswered(slot))) {
      return isReady(connection) ? connection : null;
    }
    seeReturn();
    seeTimeToRetry();
    if (unavailable == null && !server.isClosed()) {
      ServerConnection other = failed[slot] ? answering() : null;
      if (other != null) { // at its limit of connections a server still serves the others
        return isReady(other) ? other : null;
      }
      connect(slot);
    }
    return null;
  }

  private boolean isReady(ServerConnection connection) {
    return connection.keepAlive().isThere(probeAfterNanos) && connection.channel().isWritable();
  }

  /** A connection whose server answers, of any slot; null if there is none. */
  @Nullable ServerConnection answering() {
    for (int slot = 0; slot < current.length; slot++) {
      if (isAnswering(slot)) {
        return current[slot];
      }
    }
    return null;
  }

  /** The first connection, in any state; null if there is none. */
  @Nullable ServerConnection first() {
    return current[0];
  }

  /** The first connection for another loop's requests; null if it accepts none. */
  @Nullable ServerConnection firstForSharers() {
    ServerConnection first = current[0];
    boolean lacks = first == null || !first.isAccepting();
    if (lacks && failed[0]) {
      return answering();
    }
    return lacks || (unavailable != null && isUnanswered(0)) ? null : first;
  }

  /** The reason why no first connection is to be expected; null if it exists, or may soon. */
  @Nullable String whyNoFirst() {
    seeReturn();
    seeTimeToRetry();
    return connecting[0] ? null : unavailable;
  }

  /** Makes the first connection again, unless it is being made. */
  void connectFirst() {
    connect(0);
  }

  /** Makes the missing connections. */
  void warmUp() {
    for (int slot = 0; slot < current.length; slot++) {
      if (current[slot] == null) {
        connect(slot);
      }
    }
  }

  private void connect(int slot) {
    if (!connecting[slot]) {
      connecting[slot] = true;
      dials.open(slot);
    }
  }

  /** Whether one is being made. */
  boolean areConnecting() {
    return isAny(connecting);
  }

  /** Whether one is being made, or must be made again. */
  boolean areAwaited() {
    return areConnecting() || unavailable != null || lostAll || hasFailedSlot();
  }

  // --- whether there may be one ---------------------------------------------------------------

  /** The reason for which requests fail at once; null if they do not. */
  @Nullable String unavailable() {
    return unavailable;
  }

  /** From now on requests fail at once, for good. */
  void unavailable(String reason) {
    unavailable = reason;
    retryAt = loop.now() + Long.MAX_VALUE; // never
  }

  /** Whether requests fail at once, and no other loop has reached the server. */
  boolean areUnavailable() {
    seeTimeToRetry();
    return unavailable != null && returns == health.returns();
  }

  private void seeReturn() {
    if (returns != health.returns()) {
      returns = health.returns(); // another event loop has reached it
      unavailable = null;
    }
  }

  /**
   * No sweep tries a server again that a reload has removed. A client that was inside a request
   * meanwhile may still need it, and the server may be well.
   */
  private void seeTimeToRetry() {
    if (unavailable != null
        && !server.isServing()
        && !server.isClosed()
        && loop.now() - retryAt > 0) {
      unavailable = null;
    }
  }

  /** On a sharer: the owner has a connection again. */
  void ownerIsBack() {
    if (unavailable != null) {
      unavailable = null;
      if (current[0] == null && server.isServing()) {
        connect(0);
      }
    }
  }

  // --- what becomes of one --------------------------------------------------------------------

  /**
   * A connection could not be made. From now on requests fail at once, unless there is another
   * connection whose server answers.
   *
   * @return that connection, of the same slot if possible; null if there is none
   */
  @Nullable ServerConnection failed(int slot, String reason) {
    connecting[slot] = false;
    ServerConnection same = current[slot];
    if (same != null && isAnswering(slot)) {
      return same;
    }
    retryAt = loop.now() + probeAfterNanos;
    ServerConnection other = answering();
    if (other != null) {
      if (!hasFailedSlot()) {
        LOG.warn(
            "pool {}: another connection to server {} cannot be opened, so the existing ones carry"
                + " all requests: {}",
            server.context().status().pool(),
            server.context().name(),
            reason);
      }
      failed[slot] = true;
      return other;
    }
    unavailable = reason;
    if (same != null) {
      same.sharers().dismiss(); // they ask for another, and are told the reason
    }
    return null;
  }

  /** A connection was made and probed. */
  void made(ServerConnection connection) {
    int slot = connection.slot();
    connecting[slot] = false;
    boolean lacked = failed[slot];
    failed[slot] = false;
    if (lacked) {
      tellIfComplete();
    }
    ServerConnection before = current[slot];
    current[slot] = connection;
    unavailable = null;
    if (before != null) {
      before.retire(); // otherwise, once resumed, it would stay beside this one
    }
  }

  /** A check of connection was answered; returns whether requests failed until now. */
  boolean answered(ServerConnection connection) {
    if (unavailable == null || !has(connection) || !connection.isAccepting()) {
      return false;
    }
    unavailable = null;
    return true;
  }

  private boolean isAnswering(int slot) {
    ServerConnection connection = current[slot];
    return connection != null && connection.isAccepting() && !isUnanswered(slot);
  }

  /** Whether connection is the one of its slot. */
  boolean has(ServerConnection connection) {
    return current[connection.slot()] == connection;
  }

  /** Connection accepts no new requests for a while: another takes its place. */
  void replace(ServerConnection connection) {
    if (has(connection)) {
      int slot = connection.slot();
      current[slot] = null;
      connect(slot);
    }
  }

  /**
   * A connection has closed.
   *
   * @param lost whether it was usable and closed unexpectedly
   */
  void closed(ServerConnection connection, boolean lost) {
    if (has(connection)) {
      current[connection.slot()] = null;
      if (lost && isUnconnected()) {
        lostAll = true;
        retryAt = loop.now() + probeAfterNanos;
      }
    }
  }

  private boolean isUnconnected() {
    for (int slot = 0; slot < current.length; slot++) {
      if (current[slot] != null || connecting[slot]) {
        return false;
      }
    }
    return true;
  }

  /** Called every few milliseconds. Requests that wait may need a server that was removed. */
  void sweep(long now, boolean awaited) {
    if (server.isServing()) {
      connectAgain(now);
    }
    replaceSilent(awaited || server.isServing());
  }

  /** Makes a connection when it is time to try again. */
  private void connectAgain(long now) {
    ServerConnection any = unavailable == null ? null : answering();
    if (any != null) {
      unavailable = null; // an attempt failed while it did not accept requests
      server.available(any);
    }
    forgetFailures();
    boolean lacks = unavailable != null || lostAll || hasFailedSlot();
    if (lacks && now - retryAt > 0) {
      lostAll = false;
      retryAt = now + probeAfterNanos;
      connectOneMissing();
    }
  }

  /** A connection that was silent may have been heard after the attempt to replace it failed. */
  private void forgetFailures() {
    for (int slot = 0; slot < current.length; slot++) {
      if (failed[slot] && isAnswering(slot)) {
        failed[slot] = false;
        tellIfComplete();
      }
    }
  }

  private void tellIfComplete() {
    if (!hasFailedSlot()) {
      LOG.info(
          "pool {}: all connections to server {} are open again",
          server.context().status().pool(),
          server.context().name());
    }
  }

  /** Makes the connection of one slot: of one that has failed, if there is one. */
  private void connectOneMissing() {
    int missing = -1;
    for (int slot = 0; slot < current.length; slot++) {
      if (!connecting[slot] && !isAnswering(slot) && (missing < 0 || failed[slot])) {
        missing = slot;
      }
    }
    if (missing >= 0) {
      connect(missing);
    }
  }

  private boolean hasFailedSlot() {
    return isAny(failed);
  }

  private static boolean isAny(boolean[] slots) {
    for (boolean each : slots) {
      if (each) {
        return true;
      }
    }
    return false;
  }

  /**
   * Makes another connection where a check is not answered. The host may be there, without knowing
   * the connection any more. The first of both that is answered gets the requests.
   */
  private void replaceSilent(boolean awaited) {
    for (int slot = 0; unavailable == null && slot < current.length; slot++) {
      ServerConnection silent = isUnanswered(slot) ? current[slot] : null;
      boolean isNeeded = silent != null && (awaited || !silent.sharers().isEmpty());
      if (isNeeded && !failed[slot]) { // otherwise it is tried every probeAfter
        connect(slot);
      }
    }
  }

  private boolean isUnanswered(int slot) {
    ServerConnection connection = current[slot];
    return connection != null
        && connection.hasSocket()
        && connection.keepAlive().isUnanswered(answerNanos);
  }
}
