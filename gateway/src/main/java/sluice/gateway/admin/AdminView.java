package sluice.gateway.admin;

import io.vertx.core.Context;
import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.gateway.history.History;
import sluice.gateway.samples.HotKeys;
import sluice.gateway.values.ValueSamples;

/**
 * Source of the admin port's answers, and target of its requests. {@link #metrics}, {@link
 * #hotKeys}, {@link #configuration}, {@link #routes} and {@link #explain} are called on workers,
 * because they may take long. Every other method is called on the admin port's event loop, at any
 * time after the port is bound, and must not block.
 */
public interface AdminView {
  /** Whether every listener is bound, from which time on the process is live. */
  boolean bound();

  /** The contexts of the event loops that carry traffic; each must respond for {@code /live}. */
  List<Context> eventLoops();

  /** Whether new clients should be sent to this process, and the reasons against it. */
  Readiness readiness();

  /** The process as a whole. */
  ProcessState process();

  /** Every route, in the configuration's order. */
  List<RouteState> routes();

  /** The last hour. */
  History history();

  /** Every listener, in the configuration's order. */
  List<ListenerState> listeners();

  /** Every pool, in the configuration's order. */
  List<PoolState> pools();

  /** The configuration in use, as YAML, with secrets masked. */
  String configuration();

  /**
   * The route that a request would take now.
   *
   * @param listener a listener's name
   * @param command a command as the text protocol writes it
   * @param key the key as a client would send it
   * @param client name in the client's certificate; null for a client without one
   * @param token a meta request's token that rules may require, letter included; null without one
   * @throws IllegalArgumentException with a message for the caller, if there is no such listener or
   *     command, or the key is invalid
   */
  Explanation explain(
      String listener, String command, String key, @Nullable String client, @Nullable String token);

  /**
   * All metrics in Prometheus' text format 0.0.4. Called on a worker thread: summing takes time.
   */
  String metrics();

  /**
   * The most requested keys. Called on a worker thread: pending samples are counted first.
   *
   * @param most number of keys for each listener and pool
   */
  HotKeys.Snapshot hotKeys(int most);

  /** Number of sampled keys that were dropped before they were counted. */
  long droppedKeys();

  /**
   * Samples of the values that a pool compresses.
   *
   * @throws IllegalArgumentException with a message for the caller, if there is no such pool, or it
   *     compresses nothing
   */
  ValueSamples valueSamples(String pool);

  /**
   * Reads the configuration file again, and applies it if it has changed and is valid.
   *
   * @return the reasons for refusing it; empty if it is in use now
   */
  Future<List<String>> reload();

  /**
   * Ejects a server from its pool until it is restored.
   *
   * @return the reason against it; null if the server is ejected now
   * @throws IllegalArgumentException with a message for the caller, if there is no such server
   */
  @Nullable String eject(String pool, String server);

  /** Restores an ejected server; as {@link #eject}. */
  @Nullable String restore(String pool, String server);

  /** Starts draining, as SIGTERM does, and returns at once. Further calls have no effect. */
  void drain();
}
