package sluice.gateway.client;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.gateway.loop.Loop;

/**
 * The clients of one event loop that do not read, and are closed for it: those that keep servers
 * from being read, and, while the process has buffered too much, those for whom much of it waits.
 */
final class StalledClients {
  private static final Logger LOG = LoggerFactory.getLogger(StalledClients.class);

  /** How many clients of one listener are closed at once, and for what. */
  private static final class Closed {
    private final long stallMillis;
    private int count;
    private long bytes;

    private Closed(long stallMillis) {
      this.stallMillis = stallMillis;
    }
  }

  private final Loop loop;
  private final Set<OrderedReplies> congesting = new LinkedHashSet<>();
  private final Map<String, Closed> closed = new LinkedHashMap<>();
  private long lastClosed;
  private boolean hasClosed;

  StalledClients(Loop loop) {
    this.loop = loop;
  }

  /** Client keeps servers from being read: it is closed if that lasts. */
  void add(OrderedReplies client) {
    congesting.add(client);
  }

  void remove(OrderedReplies client) {
    congesting.remove(client);
  }

  /**
   * Whether somebody was closed within so many nanoseconds: whoever has taken nothing since then,
   * and longer, has had its time while others waited.
   */
  boolean hasClosedWithin(long nanos) {
    return hasClosed && loop.now() - lastClosed <= nanos;
  }

  /** Called every few milliseconds. */
  void sweep() {
    if (congesting.isEmpty()) {
      return;
    }
    for (OrderedReplies client : List.copyOf(congesting)) {
      client.relieve(); // there may be memory again
      if (client.congestsTooLong()) {
        close(client);
      }
    }
    tell("and servers were not read for that");
  }

  /** Called a few times a second: closes those of all clients that hold up everybody's memory. */
  void sweep(Collection<? extends OrderedReplies> all) {
    if (loop.memory().isRelaxed()) {
      return;
    }
    for (OrderedReplies client : List.copyOf(all)) {
      if (client.hoardsTooLong()) {
        close(client);
      }
    }
    tell("and process.memory was nearly used up");
  }

  private void close(OrderedReplies client) {
    Closed of =
        closed.computeIfAbsent(
            client.listening.name(), name -> new Closed(client.listening.limits().stallMillis()));
    of.count++;
    of.bytes += client.pendingBytes() + client.heldBytes();
    hasClosed = true;
    lastClosed = loop.now();
    client.abort();
  }

  private void tell(String why) {
    closed.forEach(
        (listener, of) ->
            LOG.info(
                "listener {}: {}: {} took nothing for {} ms while {} bytes waited, {}",
                listener,
                of.count == 1 ? "a client is closed" : of.count + " clients are closed",
                of.count == 1 ? "it" : "they",
                of.stallMillis,
                of.bytes,
                why));
    closed.clear();
  }
}
