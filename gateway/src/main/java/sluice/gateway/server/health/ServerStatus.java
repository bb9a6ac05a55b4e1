package sluice.gateway.server.health;

import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.codecs.memcached.ServerVersion;

/**
 * What the process knows of one server of a pool, gathered from all event loops and both dialects:
 * for people, and for reading lines as that version does. Thread-safe.
 */
public final class ServerStatus {
  private static final Logger LOG = LoggerFactory.getLogger(ServerStatus.class);

  private static final String LINKS = "links";

  /** One of the two kinds of connections a server may take. */
  public enum Side {
    TEXT,
    BINARY
  }

  private record State(Boolean up, String why, Instant since) {
    static State untried() {
      return new State(null, "not connected yet", Instant.now());
    }
  }

  private final String pool;
  private final String name;
  private final int number;
  private final Health health = new Health();
  private State text = State.untried();
  private State binary = State.untried();
  private volatile ServerVersion version;
  private volatile Instant askedApartSince; // null: it is not

  /** One that need not be told from others. */
  public ServerStatus(String pool, String name) {
    this(pool, name, 0);
  }

  /** One with a number that tells it from others, from 0. */
  public ServerStatus(String pool, String name, int number) {
    this.pool = pool;
    this.name = name;
    this.number = number;
  }

  /** How many servers there were before it came: so that loops have as many each to look after. */
  public int number() {
    return number;
  }

  /** The name of the pool that it is in. */
  public String pool() {
    return pool;
  }

  /** Its identity in the pool, as the configuration writes it. */
  public String name() {
    return name;
  }

  /** Whether it is ejected. */
  public Health health() {
    return health;
  }

  /** What it says it is; null until it was asked. */
  public ServerVersion version() {
    return version;
  }

  /** It has told its version. */
  public void version(ServerVersion version) {
    this.version = version;
  }

  /** It has answered a line that asks for several keys with an error. */
  public void askApart() {
    if (askedApartSince == null) {
      askedApartSince = Instant.now();
    }
  }

  /**
   * Whether each key is to be asked for in a line of its own: only then is it known where a reply
   * ends.
   */
  public boolean isAskedApart() {
    return askedApartSince != null;
  }

  /** Since when that is so; null if it is not. */
  public Instant askedApartSince() {
    return askedApartSince;
  }

  /** Takes requests on this side; one log line if it did not before. */
  public synchronized void up(Side side) {
    up(side, label(side));
  }

  private void up(Side side, String what) {
    State before = get(side);
    if (before.up == null || !before.up) {
      if (before.up != null) {
        LOG.info("pool {}: server {} takes {} again", pool, name, what);
      }
      set(side, new State(true, "connected", Instant.now()));
    }
  }

  /** Cannot be used on this side; one log line if it could before. */
  public synchronized void down(Side side, String why) {
    down(side, label(side), why);
  }

  private void down(Side side, String what, String why) {
    State before = get(side);
    if (before.up == null || before.up) {
      LOG.warn("pool {}: server {} takes no {}: {}", pool, name, what, why);
      set(side, new State(false, why, Instant.now()));
    } else if (!before.why.equals(why)) {
      set(side, new State(false, why, before.since));
    }
  }

  /** A node took a link; it has one side. */
  public synchronized void linked() {
    up(Side.TEXT, LINKS);
  }

  /** A node could not be reached for a link. */
  public synchronized void unlinked(String why) {
    down(Side.TEXT, LINKS, why);
  }

  /** Whether a side takes requests, or none was tried yet. */
  public synchronized boolean isUsable() {
    boolean up = Boolean.TRUE.equals(text.up) || Boolean.TRUE.equals(binary.up);
    return up || (text.up == null && binary.up == null);
  }

  /** Whether any side was ever tried. */
  public synchronized boolean isTried() {
    return text.up != null || binary.up != null;
  }

  /** For people: what made it as it is. */
  public synchronized String why() {
    boolean bothDown = Boolean.FALSE.equals(text.up) && Boolean.FALSE.equals(binary.up);
    return bothDown && !text.why.equals(binary.why)
        ? label(Side.TEXT) + ": " + text.why + "; " + label(Side.BINARY) + ": " + binary.why
        : decisive().why;
  }

  /** When it became as it is. */
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
