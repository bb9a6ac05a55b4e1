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
 * The clients of one event loop that do not go on, and are closed for it: those that do not read
 * and keep servers from being read, and, while the process has buffered too much, those for whom
 * much of it waits, and those that send next to nothing of a value for which room was taken.
 *
 * <p>Behind one that held up a server connection there may be hundreds more, one behind the other,
 * and behind them somebody who reads. So each that is closed halves the time that the next has to
 * take something, down to a part of {@code limits.stall}; the whole of it is what one has who takes
 * something, but not enough. When nobody was closed for as long, everybody has it again.
 */
public final class StalledClients {
  private static final Logger LOG = LoggerFactory.getLogger(StalledClients.class);

  private static final int MOST_HALVINGS = 6;
  private static final List<LoopClient> NONE = List.of();

  /** There may be hundreds of them in a moment: they are told of together. */
  private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Clients of one listener that were closed since the last line about them. */
  private static final class Closed {
    private int congesting;
    private int hoarding;
    private int sending;
    private int blocking;
    private long bytes;
  }

  private final Loop loop;
  private final Set<LoopClient> congesting = new LinkedHashSet<>();
  private final Map<String, Closed> closed = new LinkedHashMap<>();
  private long lastClosed;
  private int halvings;
  private long toldAt;
  private boolean told;

  StalledClients(Loop loop) {
    this.loop = loop;
  }

  /** Client keeps servers from being read: it is closed if that lasts. */
  public void add(LoopClient client) {
    congesting.add(client);
  }

  public void remove(LoopClient client) {
    congesting.remove(client);
  }

  /** Called every few milliseconds: closes those that hold up servers for too long. */
  void sweep() {
    for (LoopClient client : congesting.isEmpty() ? NONE : List.copyOf(congesting)) {
      if (loop.memory().isRelaxed()) {
        client.relieve(); // not before: it would be congested again, and as if for the first time
      }
      client.sweepOutput();
      if (halvings > 0 && loop.now() - lastClosed > client.stallNanos()) {
        halvings = 0;
      }
      if (client.congestsTooLong(halvings)) {
        close(client).congesting++;
        lastClosed = loop.now();
        halvings = Math.min(MOST_HALVINGS, halvings + 1);
      }
    }
    if (!closed.isEmpty() && (!told || loop.now() - toldAt > TELL_NANOS)) {
      tell();
    }
  }

  /** Called a few times a second: closes those of all clients that hold up everybody. */
  void sweep(Collection<? extends LoopClient> all) {
    boolean isShort = !loop.memory().isRelaxed();
    // What is left may be too little for a value all the same.
    boolean roomIsShort = isShort || loop.memory().isAwaited();
    for (LoopClient client : List.copyOf(all)) {
      if (client.keepsConnectionTooLong()) {
        close(client).blocking++;
      }
    }
    for (LoopClient client : roomIsShort ? List.copyOf(all) : NONE) {
      if (isShort && client.hoardsTooLong()) {
        close(client).hoarding++;
      } else if (client.keepsRoomTooLong()) {
        close(client).sending++;
      }
    }
  }

  private Closed close(LoopClient client) {
    Closed of = closed.computeIfAbsent(client.listenerName(), name -> new Closed());
    of.bytes += client.allHeldBytes();
    client.cut(DropReason.STALLED);
    return of;
  }

  /** Tells of those that nobody was told of yet. */
  void tell() {
    told = true;
    toldAt = loop.now();
    closed.forEach(
        (listener, of) ->
            LOG.info(
                "listener {}: clients are closed: {} that did not read and held up servers, {} that"
                    + " did not read while process.memory was nearly used up, {} that sent"
                    + " next to nothing of a value meanwhile, {} that sent next to nothing of a"
                    + " large value whose connection or memory others need; {} bytes were held for"
                    + " them",
                listener,
                of.congesting,
                of.hoarding,
                of.sending,
                of.blocking,
                of.bytes));
    closed.clear();
  }
}
