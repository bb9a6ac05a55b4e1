package sluice.gateway.listener;

import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.config.model.ListenerConfig;
import sluice.config.model.ListenerProtocol;

/**
 * Heap that the connections of the process's clients and nodes take, by estimate. They have a part
 * of the heap, and connections for which it has no room are refused. A full heap would end the
 * process. {@code limits.connections} allows 10,000 by default, which do not fit into a small heap.
 * The gateway itself and requests in flight need the rest.
 *
 * <p>The estimates are measured (docs/how-to/operations.md, "Connections and the heap").
 *
 * <p>Thread-safe.
 */
public final class ConnectionHeap {
  /** Of a client without TLS that is idle, in bytes: 6.7 to 9.0 kB. */
  public static final int PLAIN_BYTES = 8 * 1024;

  /** Of a client with TLS that is idle, in bytes: 13.3 to 14.6 kB. */
  public static final int TLS_BYTES = 14 * 1024;

  /**
   * Of a client whose TLS handshake is not done, in bytes: up to 39.6 kB, because Java keeps 32 KiB
   * of an incomplete message.
   */
  public static final int HANDSHAKE_BYTES = 40 * 1024;

  /** Of a link between nodes without TLS whose handshake is not done, in bytes. */
  public static final int LINK_HANDSHAKE_BYTES = 10 * 1024;

  /** Of a link without TLS towards the initiator, and both of its sockets, in bytes. */
  public static final int LINK_BYTES = 16 * 1024;

  /** The same with TLS. */
  public static final int TLS_LINK_BYTES = 28 * 1024;

  /** Of the gateway without connections, in bytes. */
  public static final int OWN_BYTES = 12 * 1024 * 1024;

  private static final Logger LOG = LoggerFactory.getLogger(ConnectionHeap.class);
  private static final long MEBIBYTE = 1024 * 1024;

  private final long heapBytes;
  private final AtomicLong taken = new AtomicLong();
  private final AtomicBoolean logged = new AtomicBoolean();

  /**
   * A heap without connections.
   *
   * @param heapBytes the most that the heap may have
   */
  public ConnectionHeap(long heapBytes) {
    this.heapBytes = heapBytes;
  }

  /** Two thirds of what the gateway itself leaves: requests in flight may take a quarter of all. */
  private long most() {
    return Math.max(0, heapBytes - OWN_BYTES) / 3 * 2;
  }

  /** Takes bytes for a new connection; returns false if it must be refused. Logs the first one. */
  public boolean takes(int bytes) {
    if (taken.addAndGet(bytes) <= most()) {
      return true;
    }
    taken.addAndGet(-bytes);
    if (logged.compareAndSet(false, true)) {
      LOG.warn(
          "refusing connections, because a heap of {} MiB has no room for more; use a larger heap"
              + " (-Xmx)",
          heapBytes / MEBIBYTE);
    }
    return false;
  }

  /** Changes the bytes of a connection; negative: fewer. */
  public void changes(int delta) {
    taken.addAndGet(delta);
  }

  /** Bytes that all connections take, by estimate. */
  public long takenBytes() {
    return taken.get();
  }

  /** A message if the limits of these listeners allow more connections than the heap. */
  public Optional<String> shortage(Collection<ListenerConfig> listeners) {
    long allowed = 0;
    long bytes = 0;
    for (ListenerConfig listener : listeners) {
      if (listener.protocol() != ListenerProtocol.INTERNODE) {
        long connections = listener.limits().connections();
        allowed += connections;
        bytes += connections * (listener.tls().isPresent() ? TLS_BYTES : PLAIN_BYTES);
      }
    }
    return bytes <= most()
        ? Optional.empty()
        : Optional.of(
            "limits.connections allow %d clients at once, but a heap of %d MiB has room for about %d: more are refused"
                .formatted(allowed, heapBytes / MEBIBYTE, allowed * most() / bytes));
  }
}
