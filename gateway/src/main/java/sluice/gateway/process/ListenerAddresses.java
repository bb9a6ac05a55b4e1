package sluice.gateway.process;

import io.vertx.core.net.SocketAddress;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import sluice.config.model.Address;
import sluice.config.model.ListenerConfig;

/**
 * Addresses of a process's listeners: those to bind, and the bound ones, with real ports. From any
 * thread.
 */
final class ListenerAddresses {
  private static final AtomicInteger RANDOM_PORTS = new AtomicInteger(1);

  private final Map<String, SocketAddress> asked = new ConcurrentHashMap<>();
  private final Map<String, String> bound = new ConcurrentHashMap<>();

  /** The addresses of these listeners, which are not bound yet. */
  ListenerAddresses(Collection<ListenerConfig> listeners) {
    listeners.forEach(this::ask);
  }

  /** Adds a listener that is new, or has another address than before. */
  void ask(ListenerConfig listener) {
    asked.put(listener.name(), addressOf(listener));
  }

  /** The addresses to bind, by listener. */
  Map<String, SocketAddress> asked() {
    return Map.copyOf(asked);
  }

  /** Returns to earlier addresses to bind, because those asked since then were refused. */
  void restore(Map<String, SocketAddress> earlier) {
    asked.keySet().retainAll(earlier.keySet());
    asked.putAll(earlier);
  }

  private static SocketAddress addressOf(ListenerConfig listener) {
    if (listener.bind() instanceof Address.Tcp tcp && tcp.port() == 0) {
      // All loops must share the one free port that is found.
      return SocketAddress.sharedRandomPort(RANDOM_PORTS.getAndIncrement(), tcp.host());
    }
    if (listener.bind() instanceof Address.Unix unix) {
      SocketFiles.removeStale(unix.path());
    }
    return SocketAddresses.of(listener.bind());
  }

  /** The address that an event loop binds for listener. */
  SocketAddress toBind(ListenerConfig listener) {
    return Objects.requireNonNull(asked.get(listener.name()), listener.name());
  }

  /** An event loop has bound listener. */
  void bound(ListenerConfig listener, int port) {
    String label =
        listener.bind() instanceof Address.Tcp tcp
            ? new Address.Tcp(tcp.host(), port).label()
            : listener.bind().label();
    bound.put(listener.name(), label);
  }

  /** Removes all listeners except these. */
  void retain(Set<String> listeners) {
    asked.keySet().retainAll(listeners);
    bound.keySet().retainAll(listeners);
  }

  /** The bound address of a listener, with its real port; null if it is not bound. */
  @Nullable String of(String listener) {
    return bound.get(listener);
  }
}
