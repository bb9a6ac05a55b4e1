package sluice.gateway.server.shared;

import java.util.ArrayDeque;
import java.util.List;
import java.util.stream.IntStream;
import sluice.gateway.loop.Mailbox;

/**
 * Access from one event loop to the others with which it shares server connections. Belongs to its
 * loop's thread, except for the mailbox.
 */
public final class LoopMailboxes {
  private static final int MOST_KEPT = 256;

  private final int index;
  private final List<Mailbox> mailboxes;
  private final ArrayDeque<PipeBatch> free = new ArrayDeque<>();

  private LoopMailboxes(int index, List<Mailbox> mailboxes) {
    this.index = index;
    this.mailboxes = mailboxes;
  }

  /** A number of event loops that can reach each other, before any has started. */
  public static List<LoopMailboxes> of(int loops) {
    List<Mailbox> mailboxes = IntStream.range(0, loops).mapToObj(i -> new Mailbox()).toList();
    return IntStream.range(0, loops).mapToObj(i -> new LoopMailboxes(i, mailboxes)).toList();
  }

  /** Mailbox for tasks from the other loops. */
  public Mailbox mailbox() {
    return mailboxes.get(index);
  }

  /** Index of this loop, from 0. */
  public int index() {
    return index;
  }

  /** Runs a task on another loop. */
  public void send(int loop, Mailbox.Task task) {
    mailboxes.get(loop).put(task);
  }

  /** An empty batch. */
  PipeBatch batch() {
    PipeBatch batch = free.pollLast();
    return batch == null ? new PipeBatch() : batch;
  }

  /** Takes back a batch that was processed. */
  void give(PipeBatch batch) {
    batch.clear();
    if (free.size() < MOST_KEPT) {
      free.addLast(batch);
    }
  }
}
