package sluice.gateway.internode;

import io.vertx.core.net.NetSocket;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.gateway.loop.Loop;
import sluice.gateway.net.Sockets;
import sluice.gateway.tls.Dialer;

/** Links of one event loop, and the state that they share. Belongs to that loop's thread. */
public final class LinkLoopState implements Link.Keeper {
  private static final long LINK_SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /**
   * How long one link that was fed may keep others waiting, while memory is used up and their bytes
   * may grow.
   */
  private static final long FED_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Loop loop;
  private final LinkLoop shared;
  private final LinkRegistry registry;
  private final Answers answers;
  private final Set<Link> links = new LinkedHashSet<>();
  private final Set<Link> awaitingMemory = new LinkedHashSet<>();
  // last one that was read although memory is tight and its bytes may grow; null: none
  private @Nullable Link lastFed;
  private long lastFedAt;
  private long nextLinkSweep;
  private boolean draining;

  /**
   * The links of one loop.
   *
   * @param registry of the links of all loops
   * @param leavingNanos how long an ending link may take for its current message
   */
  public LinkLoopState(Loop loop, Dialer dialer, LinkRegistry registry, long leavingNanos) {
    this.loop = loop;
    this.shared = new LinkLoop(loop, dialer, leavingNanos);
    this.registry = registry;
    this.answers = new Answers(shared, registry);
    nextLinkSweep = loop.now();
  }

  /** Takes a socket that a node opened to a listener. */
  public void accept(NetSocket socket, LinkListenerView listenerView) {
    loop.tick();
    loop.active();
    if (draining || !listenerView.enter()) {
      Sockets.channel(socket).close();
      return;
    }
    Link link = new Link(shared, registry, answers, this, listenerView);
    links.add(link);
    Sockets.install(socket, link.sides().initiator());
    if (!link.sides().initiator().isOpen()) {
      link.closed(link.sides().initiator());
    }
  }

  @Override
  public void remove(Link link) {
    links.remove(link);
    awaitingMemory.remove(link);
    if (link == lastFed) {
      lastFed = null;
    }
  }

  @Override
  public void awaitsMemory(Link link) {
    awaitingMemory.add(link);
  }

  /** Called every few milliseconds on the loop. */
  public void sweep() {
    loop.tick();
    feed();
    if (loop.now() - nextLinkSweep > 0) {
      nextLinkSweep = loop.now() + LINK_SWEEP_NANOS;
      for (Link link : List.copyOf(links)) {
        try {
          link.sweep(draining);
        } catch (Throwable e) { // the others are swept all the same
          link.sides().initiator().broken(e);
          link.abort();
        }
      }
      answers.sweep();
    }
    if (draining || !awaitingMemory.isEmpty()) {
      loop.active();
    }
  }

  private void feed() {
    for (Link link : List.copyOf(awaitingMemory)) {
      boolean mayGrow = link.mayGrow();
      if (loop.memory().isRelaxed()) {
        awaitingMemory.remove(link); // first: it may have to wait again
        link.sides().feed();
      } else if (!(mayGrow && mustWait()) && link.sides().feedWhereBytesLeave()) {
        // The bytes held may all belong to incomplete frames. Then only further reads free memory,
        // so one link may always read.
        if (mayGrow) {
          lastFed = links.contains(link) ? link : null;
          lastFedAt = loop.now();
        }
        awaitingMemory.remove(link);
        if (link.sides().arePausedForMemory()) {
          awaitingMemory.add(link); // behind the others
        }
        return;
      }
    }
  }

  /**
   * Whether links whose bytes may grow must wait, because the one that was fed last still adds to
   * what is buffered. Without this, one link after the other would add to it. A peer that takes its
   * bytes slowly holds them up only for a while. Other links add nothing: what waits unread becomes
   * as many pending bytes.
   */
  private boolean mustWait() {
    return loop.memory().isFull()
        && lastFed != null
        && !lastFed.sides().haveFedBytesLeft()
        && loop.now() - lastFedAt < FED_NANOS;
  }

  /**
   * Closes all links from now on: nodes connect again, elsewhere. The current message of a link,
   * and streams, may end first.
   */
  public void drain() {
    draining = true;
    nextLinkSweep = loop.now() - 1;
    sweep();
  }

  /** Whether there are no links. */
  public boolean isEmpty() {
    return links.isEmpty();
  }

  /** Closes the remaining links. */
  public void close() {
    draining = true;
    for (Link link : List.copyOf(links)) {
      link.abort();
    }
    answers.close();
  }
}
