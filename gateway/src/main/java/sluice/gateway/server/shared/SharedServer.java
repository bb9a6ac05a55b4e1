package sluice.gateway.server.shared;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * One server, in one dialect, whose connections all event loops share: which loops are its
 * <em>hosts</em>, that have connections, and whose <em>guests</em> the others are.
 *
 * <p>Counted from the server's first loop, the first {@code max} loops are hosts, of one connection
 * each, or of more if there are fewer loops; the next ones are their guests, in turn. Connections
 * to be lent are the first loop's. Servers begin at different loops.
 */
public final class SharedServer {
  /** The server as one loop sees it: what other loops ask of that one, on its thread. */
  public interface View {
    /** As the host: another loop asks for a connection. */
    void takeIn(GuestEnd guest);

    /** As a guest: the host has a connection again. */
    void isBack();
  }

  private final Map<Object, SharedServer> all;
  private final Object key;
  private final int first;
  private final int max;
  private final int loops;
  private final AtomicReferenceArray<View> servers; // each used by its own loop only
  private final List<List<Consumer<View>>> early; // the same
  private final AtomicInteger guests;
  private final AtomicInteger hosts;
  private volatile boolean lendsAtOnce = true; // written by the lender, when it changes

  /** One of all those that event loops share, where it is under its key until it is retired. */
  SharedServer(Map<Object, SharedServer> all, Object key, int first, int max, int loops) {
    this.all = all;
    this.key = key;
    this.first = first;
    this.max = max;
    this.loops = loops;
    servers = new AtomicReferenceArray<>(loops);
    early =
        IntStream.range(0, loops).<List<Consumer<View>>>mapToObj(i -> new ArrayList<>()).toList();
    hosts = new AtomicInteger(Math.min(max, loops));
    guests = new AtomicInteger(Math.max(0, loops - max));
  }

  /** Removes it: the next that asks for its key gets another. */
  public void retire() {
    all.remove(key, this);
  }

  private int rank(int loop) {
    return Math.floorMod(loop - first, loops);
  }

  /** Connections that a loop has itself. */
  public int connectionsOf(int loop) {
    int rank = rank(loop);
    return rank < max ? (max - rank + loops - 1) / loops : 0;
  }

  /** The loop whose guest a loop is; itself if it is a host. */
  public int hostOf(int loop) {
    return (first + rank(loop) % max) % loops;
  }

  /** The loop that lends connections to all. */
  public int lender() {
    return first;
  }

  /** Whether the lender has a connection left to lend; from any thread. */
  public boolean lendsAtOnce() {
    return lendsAtOnce;
  }

  /** As the lender: whether a connection is left to lend. */
  public void lendsAtOnce(boolean now) {
    if (lendsAtOnce != now) {
      lendsAtOnce = now;
    }
  }

  /** This is how a loop sees the server. On that loop. */
  public void seenAs(int loop, View server) {
    servers.set(loop, server);
    early.get(loop).forEach(errand -> errand.accept(server));
    early.get(loop).clear();
  }

  /** Does something with a loop's view of the server, once there is one. On that loop. */
  public void with(int loop, Consumer<View> errand) {
    View server = servers.get(loop);
    if (server == null) {
      early.get(loop).add(errand); // another loop was faster to make its pools
    } else {
      errand.accept(server);
    }
  }

  /** Whether nobody needs a loop's view of the server any more but that loop. */
  public boolean isLeftTo(int loop) {
    int rank = rank(loop);
    boolean ofGuests = rank >= max || guests.get() == 0;
    return ofGuests && (rank > 0 || hosts.get() <= 1);
  }

  /** A loop has no more use for the server. */
  public void left(int loop) {
    whoAre(loop).decrementAndGet();
  }

  /** A loop that had left has use for the server after all: to be called before it asks others. */
  public void returned(int loop) {
    whoAre(loop).incrementAndGet();
  }

  private AtomicInteger whoAre(int loop) {
    return rank(loop) < max ? hosts : guests;
  }
}
