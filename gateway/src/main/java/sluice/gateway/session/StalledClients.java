package sluice.gateway.session;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.DropReason;

/**
 * Stalled clients of one event loop, which are closed. There are three kinds. The first do not
 * read, and so keep servers paused. The others matter only while too much is buffered: those that
 * do not read their buffered replies, and those that send almost nothing of a value whose memory is
 * reserved, or of a line.
 *
 * <p>Hundreds of stalled clients may wait behind each other for a server connection, and behind
 * them clients that do read. So each one that is closed halves the time in which the next must read
 * bytes, down to a fraction of {@code limits.stall}. A client that reads some bytes, but too few,
 * always has the full time. When no client was closed for that long, all have the full time again.
 */
public final class StalledClients {
  private static final Logger LOG = LoggerFactory.getLogger(StalledClients.class);

  private static final int MOST_HALVINGS = 6;
  private static final List<LoopClient> NONE = List.of();

  /** Hundreds may be closed at once: one line reports all of them. */
  private static final long LOG_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Numbers of one listener's clients that were closed since its last line. */
  private static final class Closed {
    private int stalling;
    private int buffering;
    private int sending;
    private int blocking;
    private long bytes;
  }

  private final Loop loop;
  private final Set<LoopClient> stalling = new LinkedHashSet<>();
  private final Map<String, Closed> closed = new LinkedHashMap<>();
  private long lastClosed;
  private int halvings;
  private long loggedAt;
  private boolean logged;

  StalledClients(Loop loop) {
    this.loop = loop;
  }

  /** Adds a client that keeps servers paused: it is closed if that lasts. */
  public void add(LoopClient client) {
    stalling.add(client);
  }

  public void remove(LoopClient client) {
    stalling.remove(client);
  }

  /** Whether clients keep servers paused, or closed ones are to be logged. */
  boolean isWatching() {
    return !stalling.isEmpty() || !closed.isEmpty();
  }

  /** Called every few milliseconds: closes clients that keep servers paused for too long. */
  void sweep() {
    for (LoopClient client : stalling.isEmpty() ? NONE : List.copyOf(stalling)) {
      try {
        sweep(client);
      } catch (Throwable e) {
        broken(client, e);
      }
    }
    if (!closed.isEmpty() && (!logged || loop.now() - loggedAt > LOG_NANOS)) {
      log();
    }
  }

  private void sweep(LoopClient client) {
    if (loop.memory().isRelaxed()) {
      client.resumeServers(); // not before: it would pause them again, as if for the first time
    }
    client.sweepOutput();
    if (halvings > 0 && loop.now() - lastClosed > client.stallNanos()) {
      halvings = 0;
    }
    if (client.stallsServersTooLong(halvings)) {
      close(client).stalling++;
      lastClosed = loop.now();
      halvings = Math.min(MOST_HALVINGS, halvings + 1);
    }
  }

  /**
   * Called a few times a second: closes those of all clients that block others in other ways.
   *
   * @param linesWait whether long lines wait for memory that other lines have
   */
  void sweep(Collection<? extends LoopClient> all, boolean linesWait) {
    boolean isShort = !loop.memory().isRelaxed();
    // The remaining memory may still be too little for a value.
    boolean memoryIsShort = isShort || loop.memory().isAwaited();
    for (LoopClient client : List.copyOf(all)) {
      try {
        if (client.keepsConnectionTooLong()) {
          close(client).blocking++;
        } else if (isShort && client.buffersTooLong()) {
          close(client).buffering++;
        } else if ((memoryIsShort && client.keepsMemoryTooLong())
            || ((memoryIsShort || linesWait) && client.keepsLineTooLong())) {
          close(client).sending++;
        }
      } catch (Throwable e) {
        broken(client, e);
      }
    }
  }

  /**
   * The sweep of a client has failed; the others are swept all the same. A client whose socket is
   * closed already is not removed by that, and would fail in each sweep.
   */
  private void broken(LoopClient client, Throwable cause) {
    stalling.remove(client);
    client.broken(cause);
  }

  private Closed close(LoopClient client) {
    Closed of = closed.computeIfAbsent(client.listenerName(), name -> new Closed());
    of.bytes += client.allHeldBytes();
    client.cut(DropReason.STALLED);
    return of;
  }

  /** Logs the closed clients that were not logged yet. */
  void log() {
    logged = true;
    loggedAt = loop.now();
    closed.forEach(
        (listener, of) ->
            LOG.info(
                "listener {}: closed {} stalled clients, which held {} bytes:"
                    + " {} did not read their replies and kept servers paused,"
                    + " {} did not read their replies while process.memory was nearly used up,"
                    + " {} almost stopped sending a value or a line at such a time,"
                    + " {} almost stopped sending a large value whose connection others needed",
                listener,
                of.stalling + of.buffering + of.sending + of.blocking,
                of.bytes,
                of.stalling,
                of.buffering,
                of.sending,
                of.blocking));
    closed.clear();
  }
}
