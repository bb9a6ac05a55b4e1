package sluice.gateway.server.shared;

import java.util.ArrayDeque;
import java.util.List;
import java.util.stream.IntStream;
import sluice.gateway.loop.Inbox;

/**
 * Access from one event loop to the others with which it shares server connections. Belongs to its
 * loop's thread, except for the mailbox.
 */
public final class Sharing {
  private static final int MOST_KEPT = 256;

  private final int index;
  private final List<Inbox> inboxes;
  private final ArrayDeque<Parcel> free = new ArrayDeque<>();

  private Sharing(int index, List<Inbox> inboxes) {
    this.index = index;
    this.inboxes = inboxes;
  }

  /** A number of event loops that can reach each other, before any has started. */
  public static List<Sharing> of(int loops) {
    List<Inbox> inboxes = IntStream.range(0, loops).mapToObj(i -> new Inbox()).toList();
    return IntStream.range(0, loops).mapToObj(i -> new Sharing(i, inboxes)).toList();
  }

  /** Mailbox for tasks from the other loops. */
  public Inbox inbox() {
    return inboxes.get(index);
  }

  /** Index of this loop, from 0. */
  public int index() {
    return index;
  }

  /** Runs a task on another loop. */
  public void send(int loop, Inbox.Errand errand) {
    inboxes.get(loop).put(errand);
  }

  /** An empty batch. */
  Parcel parcel() {
    Parcel parcel = free.pollLast();
    return parcel == null ? new Parcel() : parcel;
  }

  /** Takes back a batch that was processed. */
  void give(Parcel parcel) {
    parcel.clear();
    if (free.size() < MOST_KEPT) {
      free.addLast(parcel);
    }
  }
}
