package sluice.gateway.admin;

import io.vertx.core.Context;
import io.vertx.core.Future;
import java.util.List;
import sluice.gateway.samples.HotKeys;

/**
 * What the admin port shows of the gateway, and the one thing it can ask of it. Every method but
 * {@link #metrics} and {@link #hotKeys} is called on the admin port's event loop, at any time after
 * the admin port is bound, and must not block.
 */
public interface AdminView {
  /** Whether every listener is bound: from then on the process is live. */
  boolean bound();

  /** The contexts of the event loops that carry traffic; each must answer for {@code /live}. */
  List<Context> eventLoops();

  /** Whether new clients should be sent here, and what speaks against it. */
  Readiness readiness();

  /** Every listener, in the configuration's order. */
  List<ListenerState> listeners();

  /** Every pool, in the configuration's order. */
  List<PoolState> pools();

  /** The configuration that runs, as YAML, with secrets masked. */
  String configuration();

  /**
   * Which way a request would take now.
   *
   * @param listener a listener's name
   * @param command a command as the text protocol writes it
   * @param key the key as a client would send it
   * @param client what the client's certificate names; null for a client without one
   * @param token a meta request's token that rules may ask for, letter included; null without one
   * @throws IllegalArgumentException with a message for the caller, when there is no such listener
   *     or command, or the key is not one
   */
  Explanation explain(String listener, String command, String key, String client, String token);

  /**
   * All metrics in Prometheus' text format 0.0.4. Called on a worker thread: summing takes time.
   */
  String metrics();

  /**
   * The keys asked for most. Called on a worker thread: what was picked lately is counted first.
   *
   * @param most how many of each listener and pool
   */
  HotKeys.Snapshot hotKeys(int most);

  /** How many keys were picked and could not be counted. */
  long droppedKeys();

  /**
   * Reads the configuration file again, and goes over to it if it has changed and is valid.
   *
   * @return why it was refused; empty if it runs now
   */
  Future<List<String>> reload();

  /** Starts draining, as SIGTERM does, and returns at once. Asked again, it changes nothing. */
  void drain();
}
