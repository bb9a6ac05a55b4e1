package sluice.perf.simulation;

import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import sluice.perf.simulation.system.Simulator;

/**
 * Faults of servers and gateways, and which errors they excuse: those that name the server, or that
 * a client of the gateway is told.
 */
final class Excuses {
  /** A fault may cause errors for that long. */
  static final long AFTERMATH_NANOS = TimeUnit.SECONDS.toNanos(20);

  /** A request that waits behind a flood of replies has timed out by then. */
  private static final long FLOOD_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** A server by its address. Other names, and the gateway that is one, say less. */
  private static final Pattern SERVER = Pattern.compile("server (10\\.2\\.[0-9]+\\.[0-9]+):");

  /** What the log says of one that has sent what is no reply. */
  private static final Pattern LIE =
      Pattern.compile(SERVER + "[0-9]+ (?:broke the protocol|answered before)");

  /** What the log says when a gateway that is a server has refused one key of several. */
  private static final Pattern REFUSED_KEY =
      Pattern.compile("server 10\\.0\\.0\\.[0-9]+:.* in the reply to a get of several keys");

  /** What clients are told then whose requests were behind that. */
  private static final Pattern BEHIND_REFUSED_KEY =
      Pattern.compile("server 10\\.0\\.0\\.[0-9]+:[0-9]+ broke the protocol");

  /**
   * What clients are told when one gateway has closed the other as a client that does not read: the
   * other was waiting for a client of its own that did not. A bridge knows no reason.
   */
  private static final Pattern STALLED_GATEWAY =
      Pattern.compile(
          "server 10\\.0\\.0\\.[0-9]+:[0-9]+ closed the connection|SERVER_ERROR the server failed");

  private static final long TOLD_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** What the log says of a client that connects while Vert.x removes the listener. */
  private static final Pattern NOT_ACCEPTED =
      Pattern.compile("Failed to register an accepted channel: .* of /(10\\.0\\.0\\.[0-9]+):");

  /** Clients of a gateway that have asked for much at once. */
  private static final class Flood {
    int clients; // they do not have it yet
    long ended = -FLOOD_NANOS;
  }

  private final Simulator simulator;
  private final Map<String, Long> until =
      new HashMap<>(); // errors of a host are excused until then
  private final Map<String, Long> liesUntil = new HashMap<>(); // the same of what is no protocol
  private final Map<String, Flood> floods = new HashMap<>(); // by gateway
  private final Set<InetSocketAddress> aging = new HashSet<>(); // listeners
  private boolean chained;
  private int begun;
  private long anyUntil;
  private long keyRefused = -TOLD_NANOS;

  Excuses(Simulator simulator) {
    this.simulator = simulator;
  }

  /** One gateway is behind the other, so that a fault of either one is felt by all clients. */
  void chain() {
    chained = true;
  }

  /** A listener of a gateway closes connections when they are old. */
  void limitAge(InetSocketAddress listener) {
    aging.add(listener);
  }

  /** Whether it does so. */
  boolean isAgeLimited(InetSocketAddress listener) {
    return aging.contains(listener);
  }

  /** A fault of a gateway or of a server begins, and lasts for that many nanoseconds. */
  void fault(String host, long lasts) {
    faultOfAny(lasts);
    until.merge(domain(host), simulator.now() + lasts + AFTERMATH_NANOS, Math::max);
  }

  /** The same of a host that is not known. */
  void faultOfAny(long lasts) {
    anyUntil = Math.max(anyUntil, simulator.now() + lasts + AFTERMATH_NANOS);
  }

  /** A server may send what is no reply for that many nanoseconds. */
  void lies(String host, long lasts) {
    fault(host, lasts);
    liesUntil.merge(host, simulator.now() + lasts + AFTERMATH_NANOS, Math::max);
  }

  /** Whether a fault of any host may be the cause of an error now. */
  boolean isAny() {
    return simulator.now() < anyUntil;
  }

  /** Whether a fault of that host may be. */
  boolean isOf(String host) {
    return simulator.now() < until.getOrDefault(domain(host), 0L);
  }

  /** Whether a fault may be the cause of an error that a client of a gateway is told. */
  boolean allow(String error, String gateway) {
    if (isOf(gateway) || (error.endsWith(" timed out") && isFlooded(gateway))) {
      return true;
    }
    if (chained && isFlooded(gateway) && STALLED_GATEWAY.matcher(error).find()) {
      return true;
    }
    if (BEHIND_REFUSED_KEY.matcher(error).find() && simulator.now() - keyRefused < TOLD_NANOS) {
      return true;
    }
    Matcher named = SERVER.matcher(error);
    return named.find() ? isOf(named.group(1)) : isAny();
  }

  /**
   * Whether a server may have sent what a line of the log reports: something that is no reply. The
   * gateway that is one ends a joined get so, if one of its own servers fails.
   */
  boolean allowLie(String line) {
    if (REFUSED_KEY.matcher(line).find()) {
      keyRefused = simulator.now(); // a rule of the first gateway takes fewer keys than memcached
    }
    Matcher named = LIE.matcher(line);
    return !named.find() || simulator.now() < liesUntil.getOrDefault(named.group(1), 0L);
  }

  /** Whether a fault of a gateway is the cause of an exception that the log tells of. */
  boolean allowUnhandled(String line) {
    Matcher gateway = NOT_ACCEPTED.matcher(line);
    return gateway.find() && isOf(gateway.group(1));
  }

  /** A client of a gateway asks for megabytes at once. */
  void floodBegins(String gateway) {
    flood(gateway).clients++;
    begun++;
  }

  /** It has them, or its connection is lost. */
  void floodEnds(String gateway) {
    Flood flood = flood(gateway);
    flood.clients--;
    flood.ended = simulator.now();
  }

  /**
   * Whether a request may time out because the server's connection was busy: replies to another
   * client of the gateway fill it for as long as the network needs for them.
   */
  boolean isFlooded(String gateway) {
    return isFlooded(flood(gateway));
  }

  /** Whether that is so of any gateway. */
  boolean isAnyFlooded() {
    return floods.values().stream().anyMatch(this::isFlooded);
  }

  /** How many floods have begun. */
  int floods() {
    return begun;
  }

  private boolean isFlooded(Flood flood) {
    return flood.clients > 0 || simulator.now() - flood.ended < FLOOD_NANOS;
  }

  private Flood flood(String gateway) {
    return floods.computeIfAbsent(domain(gateway), unused -> new Flood());
  }

  // What a fault of a host has in common with those of others.
  private String domain(String host) {
    return chained && host.startsWith(Scenario.GATEWAYS) ? Scenario.GATEWAYS : host;
  }
}
