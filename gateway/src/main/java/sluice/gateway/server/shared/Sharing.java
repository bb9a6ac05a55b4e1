package sluice.gateway.server.shared;

import java.util.ArrayDeque;
import java.util.List;
import java.util.stream.IntStream;
import sluice.gateway.loop.Inbox;

/**
 * One event loop among those that share connections to servers: how it reaches the others. Belongs
 * to its loop's thread, except for the inbox.
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

  /** As many event loops that reach each other, none of which has begun. */
  public static List<Sharing> of(int loops) {
    List<Inbox> inboxes = IntStream.range(0, loops).mapToObj(i -> new Inbox()).toList();
    return IntStream.range(0, loops).mapToObj(i -> new Sharing(i, inboxes)).toList();
  }

  /** What the others have for this loop. */
  public Inbox inbox() {
    return inboxes.get(index);
  }

  /** Which of the loops this is, from 0. */
  public int index() {
    return index;
  }

  /** Has errand run on another loop. */
  public void send(int loop, Inbox.Errand errand) {
    inboxes.get(loop).put(errand);
  }

  /** An empty parcel. */
  Parcel parcel() {
    Parcel parcel = free.pollLast();
    return parcel == null ? new Parcel() : parcel;
  }

  /** Takes a parcel that has arrived back. */
  void give(Parcel parcel) {
    parcel.clear();
    if (free.size() < MOST_KEPT) {
      free.addLast(parcel);
    }
  }
}
