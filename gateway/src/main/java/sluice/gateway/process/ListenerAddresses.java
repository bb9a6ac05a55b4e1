package sluice.gateway.process;

import io.vertx.core.Future;
import io.vertx.core.net.SocketAddress;
import java.net.BindException;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
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
  private final Map<String, String> obstacles = new ConcurrentHashMap<>();
  private final Map<String, String> bound = new ConcurrentHashMap<>();

  /** The addresses of these listeners, which are not bound yet. */
  ListenerAddresses(Collection<ListenerConfig> listeners) {
    listeners.forEach(this::ask);
  }

  /** Adds a listener that is new, or has another address than before. */
  void ask(ListenerConfig listener) {
    SocketAddress address = addressOf(listener);
    obstacles.remove(listener.name());
    if (listener.bind() instanceof Address.Unix unix && !asked.containsValue(address)) {
      SocketFiles.makeRoom(unix.path())
          .ifPresent(obstacle -> obstacles.put(listener.name(), obstacle));
    }
    asked.put(listener.name(), address);
  }

  /** The addresses to bind, by listener. */
  Map<String, SocketAddress> asked() {
    return Map.copyOf(asked);
  }

  /** Returns to earlier addresses to bind, because those asked since then were refused. */
  void restore(Map<String, SocketAddress> earlier) {
    asked.keySet().retainAll(earlier.keySet());
    asked.putAll(earlier);
    obstacles.clear();
  }

  private static SocketAddress addressOf(ListenerConfig listener) {
    if (listener.bind() instanceof Address.Tcp tcp && tcp.port() == 0) {
      // All loops must share the one free port that is found.
      return SocketAddress.sharedRandomPort(RANDOM_PORTS.getAndIncrement(), tcp.host());
    }
    return SocketAddresses.of(listener.bind());
  }

  /**
   * Binds the address of a listener for an event loop. The first loop would replace any file at the
   * path of a Unix socket, so that is refused before.
   */
  <T> Future<T> bind(ListenerConfig listener, Function<SocketAddress, Future<T>> binder) {
    String obstacle = obstacles.get(listener.name());
    if (obstacle != null) {
      return Future.failedFuture(new BindException(obstacle));
    }
    SocketAddress address = Objects.requireNonNull(asked.get(listener.name()), listener.name());
    return binder
        .apply(address)
        .onSuccess(
            server -> {
              if (listener.bind() instanceof Address.Unix unix) {
                SocketFiles.share(unix.path());
              }
            });
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
