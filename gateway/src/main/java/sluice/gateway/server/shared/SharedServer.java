package sluice.gateway.server.shared;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Server, in one dialect, whose connections all event loops share. Some loops are <em>owners</em>,
 * which have connections; the others are their <em>sharers</em>.
 *
 * <p>Counted from the server's first loop, the first {@code max} loops are owners, of one
 * connection each, or of more if there are fewer loops. The next ones are their sharers, in turn.
 * Exclusive connections belong to the first loop. Servers begin at different loops.
 */
public final class SharedServer {
  /** Server on one loop, which other loops call on that loop's thread. */
  public interface View {
    /** On the owner: another loop asks for a connection. */
    void takeIn(SharerEnd sharer);

    /** On a sharer: the owner has a connection again. */
    void isBack();
  }

  private final Map<Object, SharedServer> all;
  private final Object key;
  private final int first;
  private final int max;
  private final int loops;
  private final AtomicReferenceArray<@Nullable View> servers; // each used by its own loop only
  private final List<List<Consumer<View>>> early; // the same
  private final AtomicInteger sharers;
  private final AtomicInteger owners;
  // written by the loop with the exclusive connections, when it changes
  private volatile boolean hasFreeExclusive = true;
  private volatile boolean isExclusiveAwaited; // the same

  /** A shared server, which is found under its key until it is retired. */
  SharedServer(Map<Object, SharedServer> all, Object key, int first, int max, int loops) {
    this.all = all;
    this.key = key;
    this.first = first;
    this.max = max;
    this.loops = loops;
    servers = new AtomicReferenceArray<>(loops);
    early =
        IntStream.range(0, loops).<List<Consumer<View>>>mapToObj(i -> new ArrayList<>()).toList();
    owners = new AtomicInteger(Math.min(max, loops));
    sharers = new AtomicInteger(Math.max(0, loops - max));
  }

  /** Removes it: a new server takes its key. */
  public void retire() {
    all.remove(key, this);
  }

  private int rank(int loop) {
    return Math.floorMod(loop - first, loops);
  }

  /** Number of connections that a loop has itself. */
  public int connectionsOf(int loop) {
    int rank = rank(loop);
    return rank < max ? (max - rank + loops - 1) / loops : 0;
  }

  /** The owner of a loop; the loop itself if it is an owner. */
  public int ownerOf(int loop) {
    return (first + rank(loop) % max) % loops;
  }

  /** The loop that has the exclusive connections. */
  public int exclusiveOwner() {
    return first;
  }

  /** Whether an exclusive connection is available; from any thread. */
  public boolean hasFreeExclusive() {
    return hasFreeExclusive;
  }

  /** Sets whether an exclusive connection is available; on the loop that has them. */
  public void hasFreeExclusive(boolean now) {
    if (hasFreeExclusive != now) {
      hasFreeExclusive = now;
    }
  }

  /** Whether a client of any loop waits for an exclusive connection; from any thread. */
  public boolean isExclusiveAwaited() {
    return isExclusiveAwaited;
  }

  /** Sets whether a client waits for an exclusive connection; on the loop that has them. */
  public void isExclusiveAwaited(boolean now) {
    if (isExclusiveAwaited != now) {
      isExclusiveAwaited = now;
    }
  }

  /** Sets a loop's view of the server. On that loop. */
  public void seenAs(int loop, View server) {
    servers.set(loop, server);
    early.get(loop).forEach(task -> task.accept(server));
    early.get(loop).clear();
  }

  /** Executes task with a loop's view of the server, once there is one. On that loop. */
  public void with(int loop, Consumer<View> task) {
    View server = servers.get(loop);
    if (server == null) {
      early.get(loop).add(task); // another loop has created its pools earlier
    } else {
      task.accept(server);
    }
  }

  /** Whether no other loop needs a loop's view of the server any more. */
  public boolean isLeftTo(int loop) {
    int rank = rank(loop);
    boolean ofSharers = rank >= max || sharers.get() == 0;
    return ofSharers && (rank > 0 || owners.get() <= 1);
  }

  /** A loop stops using the server. */
  public void left(int loop) {
    whoAre(loop).decrementAndGet();
  }

  /** A loop that had left uses the server again: called before it asks other loops. */
  public void returned(int loop) {
    whoAre(loop).incrementAndGet();
  }

  private AtomicInteger whoAre(int loop) {
    return rank(loop) < max ? owners : sharers;
  }
}
