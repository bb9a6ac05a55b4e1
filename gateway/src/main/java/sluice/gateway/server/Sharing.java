package sluice.gateway.server;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
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
  private final Map<Object, SharedServer> servers;
  private final ArrayDeque<Parcel> free = new ArrayDeque<>();

  private Sharing(int index, List<Inbox> inboxes, Map<Object, SharedServer> servers) {
    this.index = index;
    this.inboxes = inboxes;
    this.servers = servers;
  }

  /** As many event loops that reach each other, none of which has begun. */
  public static List<Sharing> of(int loops) {
    List<Inbox> inboxes = IntStream.range(0, loops).mapToObj(i -> new Inbox()).toList();
    Map<Object, SharedServer> servers = new ConcurrentHashMap<>();
    return IntStream.range(0, loops).mapToObj(i -> new Sharing(i, inboxes, servers)).toList();
  }

  /** What the others have for this loop. */
  public Inbox inbox() {
    return inboxes.get(index);
  }

  /**
   * What all loops know of a server whose connections they share.
   *
   * @param key the same for all loops that mean the same
   * @param max connections of all loops together
   */
  public SharedServer join(Object key, ServerStatus status, int max) {
    return servers.computeIfAbsent(
        key,
        unused -> new SharedServer(key, status.number() % inboxes.size(), max, inboxes.size()));
  }

  /** Whoever asks for it from now on means another. */
  void retire(SharedServer server) {
    servers.remove(server.key(), server);
  }

  /** Which of the loops this is, from 0. */
  int index() {
    return index;
  }

  /** Has errand run on another loop. */
  void send(int loop, Inbox.Errand errand) {
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
