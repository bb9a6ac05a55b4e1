package sluice.gateway.loop;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Mailbox of an event loop for tasks from other event loops. A sender wakes the loop, unless it was
 * already woken and has not checked the mailbox since. Tasks from one sender run in order.
 *
 * <p>The queue is unbounded: its users bound the number of their tasks.
 */
public final class Mailbox {
  private static final Logger LOG = LoggerFactory.getLogger(Mailbox.class);
  private static final int CHUNK = 256;

  /** After this many tasks, sockets are handled first. */
  private static final int MOST_AT_ONCE = 1024;

  /** Task that runs on the loop. */
  public interface Task {
    /** Runs the task on the loop, within a loop iteration. */
    void run();

    /** Called instead, from any thread, if the loop has ended: releases what the task holds. */
    default void drop() {}
  }

  private final MpscUnboundedArrayQueue<Task> tasks = new MpscUnboundedArrayQueue<>(CHUNK);
  private final AtomicBoolean woken = new AtomicBoolean();
  private final Runnable look = this::look;
  private volatile @Nullable Loop loop; // null until the loop starts
  private volatile boolean closed;

  /** Sets the loop, which checks for tasks from now on. */
  public void open(Loop loop) {
    this.loop = loop;
    wake();
  }

  /** Ends the loop: waiting and further tasks are dropped. */
  public void close() {
    closed = true;
    drop();
  }

  /** Schedules a task on the loop. From any thread. */
  public void put(Task task) {
    tasks.offer(task);
    if (closed) {
      drop();
    } else {
      wake();
    }
  }

  /** Approximate number of waiting tasks; from any thread. */
  public int waiting() {
    return tasks.size();
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
    Loop awake = loop;
    if (awake == null || closed) {
      return;
    }
    awake.beginIteration();
    for (int i = 0; i < MOST_AT_ONCE && !closed; i++) {
      Task task = tasks.poll();
      if (task == null) {
        return;
      }
      try {
        task.run();
      } catch (Throwable e) { // the tasks after it must still run
        LOG.error("a task of another event loop failed: an internal error", e);
      }
    }
    wake();
  }

  /** Drops the waiting tasks. Synchronized for a single consumer: the loop takes no more. */
  private synchronized void drop() {
    for (Task task = tasks.poll(); task != null; task = tasks.poll()) {
      task.drop();
    }
  }
}
