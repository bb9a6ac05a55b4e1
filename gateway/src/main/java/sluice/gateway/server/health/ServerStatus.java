package sluice.gateway.server.health;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.codecs.memcached.ServerVersion;
import sluice.gateway.time.Clocks;

/**
 * Status of one server of a pool, collected from all event loops and both dialects: for people, and
 * for reading lines as its version does. Thread-safe.
 */
public final class ServerStatus {
  private static final Logger LOG = LoggerFactory.getLogger(ServerStatus.class);

  private static final String LINKS = "links";

  /** Kind of connection; a server may accept both kinds. */
  public enum Side {
    TEXT,
    BINARY
  }

  private record State(@Nullable Boolean up, String why, Instant since) {
    static State untried() {
      return new State(null, "not connected yet", Clocks.now());
    }
  }

  private final String pool;
  private final String name;
  private final int number;
  private final Health health = new Health();
  private State text = State.untried();
  private State binary = State.untried();
  private volatile @Nullable ServerVersion version;
  private volatile @Nullable Instant singleKeyGetsSince; // null: reads may share a line

  /** A status whose server needs no number. */
  public ServerStatus(String pool, String name) {
    this(pool, name, 0);
  }

  /** A status with a number that identifies the server, from 0. */
  public ServerStatus(String pool, String name, int number) {
    this.pool = pool;
    this.name = name;
    this.number = number;
  }

  /** Number of servers that were created before, used to distribute them over the loops. */
  public int number() {
    return number;
  }

  /** The name of the pool that it is in. */
  public String pool() {
    return pool;
  }

  /** Its identity in the pool, as in the configuration. */
  public String name() {
    return name;
  }

  /** Its health, which includes ejection. */
  public Health health() {
    return health;
  }

  /** The version that it reports; null before the first probe. */
  public @Nullable ServerVersion version() {
    return version;
  }

  /** Sets the version that it reports. */
  public void version(ServerVersion version) {
    this.version = version;
  }

  /** It has answered a line with several keys by an error, or in another order. */
  public void askApart() {
    if (singleKeyGetsSince == null) {
      singleKeyGetsSince = Clocks.now();
    }
  }

  /** The pool was reconfigured: reads may share a line again. */
  public void shareLinesAgain() {
    singleKeyGetsSince = null;
  }

  /** Whether each key must be read with a line of its own, so that the end of a reply is known. */
  public boolean isAskedApart() {
    return singleKeyGetsSince != null;
  }

  /** Since when that is so; null if it is not. */
  public @Nullable Instant singleKeyGetsSince() {
    return singleKeyGetsSince;
  }

  /** Accepts requests on this side; logs a change. */
  public synchronized void up(Side side) {
    up(side, label(side));
  }

  private void up(Side side, String what) {
    State before = get(side);
    if (before.up == null || !before.up) {
      if (before.up != null) {
        LOG.info("pool {}: server {} accepts {} again", pool, name, what);
      }
      set(side, new State(true, "connected", Clocks.now()));
    }
  }

  /** Cannot be used on this side; logs a change. */
  public synchronized void down(Side side, String why) {
    down(side, label(side), why);
  }

  private void down(Side side, String what, String why) {
    State before = get(side);
    if (before.up == null || before.up) {
      LOG.warn("pool {}: server {} accepts no {}: {}", pool, name, what, why);
      set(side, new State(false, why, Clocks.now()));
    } else if (!before.why.equals(why)) {
      set(side, new State(false, why, before.since));
    }
  }

  /** A node accepted a link; it has only one side. */
  public synchronized void linked() {
    up(Side.TEXT, LINKS);
  }

  /** A node could not be reached for a link. */
  public synchronized void unlinked(String why) {
    down(Side.TEXT, LINKS, why);
  }

  /** Whether a side accepts requests, or none was tried yet. */
  public synchronized boolean isUsable() {
    boolean up = Boolean.TRUE.equals(text.up) || Boolean.TRUE.equals(binary.up);
    return up || (text.up == null && binary.up == null);
  }

  /** Whether any side was ever tried. */
  public synchronized boolean isTried() {
    return text.up != null || binary.up != null;
  }

  /** The reason for its state, for people. */
  public synchronized String why() {
    boolean bothDown = Boolean.FALSE.equals(text.up) && Boolean.FALSE.equals(binary.up);
    return bothDown && !text.why.equals(binary.why)
        ? label(Side.TEXT) + ": " + text.why + "; " + label(Side.BINARY) + ": " + binary.why
        : decisive().why;
  }

  /** When its state began. */
  public synchronized Instant since() {
    return decisive().since;
  }

  private State decisive() {
    if (text.up == null) {
      return binary;
    }
    if (binary.up == null || text.up.equals(isUsable())) {
      return text;
    }
    return binary;
  }

  private State get(Side side) {
    return side == Side.TEXT ? text : binary;
  }

  private void set(Side side, State state) {
    if (side == Side.TEXT) {
      text = state;
    } else {
      binary = state;
    }
  }

  private static String label(Side side) {
    return side == Side.TEXT ? "text requests" : "binary requests";
  }
}
