package sluice.gateway.dispatch.policy;

import java.util.LinkedHashMap;
import java.util.Map;
import sluice.gateway.loop.Loop;
import sluice.gateway.server.EmbeddedDialer;
import sluice.gateway.tls.Dialer;

/**
 * Servers without sockets, by their hosts: each is a {@link SocketlessServer}, which a test speaks
 * for. What connects to them is an ordinary dialer.
 */
final class SocketlessNetwork {
  private final Map<String, SocketlessServer> servers = new LinkedHashMap<>();

  /** The server of a host; created by the first call. */
  SocketlessServer server(String host) {
    return servers.computeIfAbsent(host, SocketlessServer::new);
  }

  /** Runs what is due on the servers' connections; whether there was anything. */
  boolean runTasks() {
    boolean ran = false;
    for (SocketlessServer server : servers.values()) {
      ran |= server.runTasks();
    }
    return ran;
  }

  /** Closes all connections. */
  void close() {
    servers.values().forEach(SocketlessServer::finish);
  }

  /** What connects to the servers from a loop. */
  Dialer dialer(Loop loop) {
    return EmbeddedDialer.of(loop, (address, promise) -> server(address.host()).connect(promise));
  }
}
