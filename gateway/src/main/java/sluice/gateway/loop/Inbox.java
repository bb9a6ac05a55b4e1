package sluice.gateway.loop;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What other event loops have for one: whoever puts something there wakes the loop, unless somebody
 * did already and it has not looked since. What comes from one loop is dealt with in its order.
 *
 * <p>The queue has no bound of its own: whoever uses it keeps count of what is under way.
 */
public final class Inbox {
  private static final Logger LOG = LoggerFactory.getLogger(Inbox.class);
  private static final int CHUNK = 256;

  /** So many, and sockets have their turn again. */
  private static final int MOST_AT_ONCE = 1024;

  /** Something to be done on the loop. */
  public interface Errand {
    /** Called on the loop, within a turn. */
    void run();

    /** Called instead, from any thread, when the loop has ended: gives back what it holds. */
    default void drop() {}
  }

  private final MpscUnboundedArrayQueue<Errand> errands = new MpscUnboundedArrayQueue<>(CHUNK);
  private final AtomicBoolean woken = new AtomicBoolean();
  private final Runnable look = this::look;
  private volatile Loop loop; // null until it begins
  private volatile boolean closed;

  /** The loop looks here from now on. */
  public void open(Loop loop) {
    this.loop = loop;
    wake();
  }

  /** The loop has ended: what is here, and what comes, is dropped. */
  public void close() {
    closed = true;
    drop();
  }

  /** Has errand run on the loop. From any thread. */
  public void put(Errand errand) {
    errands.offer(errand);
    if (closed) {
      drop();
    } else {
      wake();
    }
  }

  /** How many errands wait, about; from any thread. */
  public int waiting() {
    return errands.size();
  }

  private void wake() {
    Loop asleep = loop;
    if (asleep != null && woken.compareAndSet(false, true)) {
      try {
        asleep.eventLoop().execute(look);
      } catch (RejectedExecutionException e) {
        LOG.debug("an event loop has ended", e);
        close();
      }
    }
  }

  private void look() {
    woken.set(false);
    if (closed) {
      return;
    }
    loop.beginTurn();
    for (int i = 0; i < MOST_AT_ONCE && !closed; i++) {
      Errand errand = errands.poll();
      if (errand == null) {
        return;
      }
      try {
        errand.run();
      } catch (Throwable e) { // what is behind it would wait for somebody else's
        LOG.error("what another event loop had to be done failed: an error in this program", e);
      }
    }
    wake();
  }

  /** There is one that takes at a time: the loop does not any more. */
  private synchronized void drop() {
    for (Errand errand = errands.poll(); errand != null; errand = errands.poll()) {
      errand.drop();
    }
  }
}
