package sluice.gateway.server.shared;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import sluice.gateway.server.health.ServerStatus;

/** Servers whose connections the event loops of a process share. Used by all of them. */
public final class SharedServers {
  private final int loops;
  private final Map<Object, SharedServer> servers = new ConcurrentHashMap<>();

  /** An empty set, for a number of event loops. */
  public SharedServers(int loops) {
    this.loops = loops;
  }

  /**
   * The common state of a server whose connections are shared.
   *
   * @param key identifies the server for all loops
   * @param max connections of all loops together
   */
  public SharedServer join(Object key, ServerStatus status, int max) {
    return servers.computeIfAbsent(
        key, unused -> new SharedServer(servers, key, status.number() % loops, max, loops));
  }
}
