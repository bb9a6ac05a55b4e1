package sluice.gateway.server.shared;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import sluice.gateway.server.health.ServerStatus;

/** The servers whose connections the event loops of a process share. Used by all of them. */
public final class SharedServers {
  private final int loops;
  private final Map<Object, SharedServer> servers = new ConcurrentHashMap<>();

  /** None yet, of so many event loops. */
  public SharedServers(int loops) {
    this.loops = loops;
  }

  /**
   * What all loops know of a server whose connections they share.
   *
   * @param key the same for all loops that mean the same
   * @param max connections of all loops together
   */
  public SharedServer join(Object key, ServerStatus status, int max) {
    return servers.computeIfAbsent(
        key, unused -> new SharedServer(servers, key, status.number() % loops, max, loops));
  }
}
