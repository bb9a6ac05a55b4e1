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
 * Heap that the clients' connections of the process take, by estimate. Connections beyond half of
 * the heap are refused: {@code limits.connections} allows 10,000 by default, which a small heap
 * does not have room for, and a full heap ends the process. Requests in flight and the gateway
 * itself need the other half.
 *
 * <p>The estimates are what a connection takes at least, as far as that was measured
 * (docs/how-to/operations.md, "Memory of the process"): what fits is not to be refused.
 *
 * <p>Thread-safe.
 */
public final class ConnectionHeap {
  /** Of a client without TLS that is idle, in bytes. */
  public static final int PLAIN_BYTES = 4 * 1024;

  /** Of a client with TLS that is idle, in bytes. */
  public static final int TLS_BYTES = 16 * 1024;

  /**
   * Of a client whose TLS handshake is not done, in bytes: Java keeps up to 32 KiB of an incomplete
   * message.
   */
  public static final int HANDSHAKE_BYTES = 48 * 1024;

  private static final Logger LOG = LoggerFactory.getLogger(ConnectionHeap.class);
  private static final int SHARE = 2; // half of the heap
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

  private long most() {
    return heapBytes / SHARE;
  }

  /** Takes bytes for a new connection; returns false if it must be refused. Logs the first one. */
  boolean takes(int bytes) {
    if (taken.addAndGet(bytes) <= most()) {
      return true;
    }
    taken.addAndGet(-bytes);
    if (logged.compareAndSet(false, true)) {
      LOG.warn(
          "connections are refused, because a heap of {} MiB has no room for more: a larger one"
              + " (-Xmx) has",
          heapBytes / MEBIBYTE);
    }
    return false;
  }

  /** Changes the bytes of a connection; negative: fewer. */
  void changes(int delta) {
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
            "limits.connections allow %d clients at once, and a heap of %d MiB has room for about %d: more are refused"
                .formatted(allowed, heapBytes / MEBIBYTE, allowed * most() / bytes));
  }
}
