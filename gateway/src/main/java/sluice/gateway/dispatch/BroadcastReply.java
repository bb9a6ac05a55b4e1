package sluice.gateway.dispatch;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.ServerVersion;
import sluice.gateway.request.Aggregator;
import sluice.gateway.request.InFlightWatcher;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.Suppression;
import sluice.gateway.server.Server;
import sluice.gateway.session.LoopState;

/**
 * Broadcast: a command without a key that goes to every server of a route, with one combined reply
 * (docs/reference/memcached.md). Rare: it allocates what it needs.
 */
public final class BroadcastReply implements Aggregator, InFlightWatcher {
  /** Combination of the replies into one. */
  public interface Aggregate {
    /**
     * The reply to the client.
     *
     * @param replies one for each server, in order; borrowed
     * @return null for silence; the caller owns the result
     */
    @Nullable ByteBuf of(List<ByteBuf> replies);

    /** Whether there is no combined reply unless all servers reply. */
    default boolean needsAll() {
      return true;
    }

    /**
     * The version that a reply states, if the combined reply is the one with the lowest version;
     * otherwise null. Borrows reply.
     */
    default @Nullable ServerVersion versionIn(ByteBuf reply) {
      return null;
    }
  }

  /**
   * Aggregate that selects the reply with the lowest version, so that clients use only features of
   * all servers. Clients also use this command as a probe, and so do older gateways. A server that
   * does not reply is therefore ignored, as long as another does. It is not waited for either if
   * the version that it last reported is no lower.
   *
   * @param version of a reply, which is borrowed; null if it states none
   */
  public record LowestVersion(Function<ByteBuf, @Nullable ServerVersion> version)
      implements Aggregate {
    @Override
    public ByteBuf of(List<ByteBuf> replies) {
      return replies.stream()
          .filter(reply -> version.apply(reply) != null)
          .min(Comparator.comparing(version))
          .orElse(replies.get(0))
          .retainedSlice();
    }

    @Override
    public boolean needsAll() {
      return false;
    }

    @Override
    public @Nullable ServerVersion versionIn(ByteBuf reply) {
      return version.apply(reply);
    }
  }

  /**
   * The most bytes of one server's reply, and of the combined one: a reply is held until all have
   * come, and the statistics in it take many times their bytes on the heap.
   */
  static final int MOST_OF_ONE = 1 << 20;

  /** The most bytes of all servers' replies. */
  private static final int MOST_OF_ALL = 16 << 20;

  private final LoopState loopState;
  private final ClientSession client;
  private final PendingReply whole;
  private final Aggregate aggregate;
  private final List<PendingReply> subrequests = new ArrayList<>();
  private final List<@Nullable Server> servers = new ArrayList<>(); // null for a store
  private @Nullable ServerVersion lowest; // of the replies so far
  private int open; // subrequests without an answer
  private boolean sent; // all of them are
  private int underWay; // subrequests that no server has settled
  private boolean owes; // the client is answered, and they count as its requests in flight
  private @Nullable String failure;

  BroadcastReply(
      LoopState loopState, ClientSession client, PendingReply whole, Aggregate aggregate) {
    this.loopState = loopState;
    this.client = client;
    this.whole = whole;
    this.aggregate = aggregate;
    whole.splitInto(this);
  }

  @Override
  public PendingReply whole() {
    return whole;
  }

  /** Adds a subrequest, which the caller sends to server, or answers for a store. */
  PendingReply subrequest(@Nullable Server server) {
    PendingReply subrequest =
        loopState
            .requestPool()
            .take()
            .start(client, whole.command(), whole.kind(), Suppression.NOTHING, whole.started());
    subrequest.subrequestOf(this, subrequests.size());
    subrequest.guard(this, 0);
    subrequests.add(subrequest);
    servers.add(server);
    open++;
    return subrequest;
  }

  /** All subrequests have been sent. */
  void sent() {
    sent = true;
    proceed();
  }

  /** Ends a subrequest that cannot be sent. */
  void failed(String reason) {
    failure = failure == null ? reason : failure;
  }

  /** A reply without an end must not be held until memory is short for all clients. */
  @Override
  public void arrived(PendingReply subrequest) {
    if (subrequest.heldBytes() > MOST_OF_ONE || heldBytes() > MOST_OF_ALL) {
      Server server = servers.get(subrequests.indexOf(subrequest));
      String name = server == null ? "" : server.name() + " ";
      subrequestCompleted(subrequest, "server " + name + "sent a reply that is too long");
    }
  }

  private long heldBytes() {
    return subrequests.stream().mapToLong(PendingReply::heldBytes).sum();
  }

  @Override
  public void subrequestCompleted(PendingReply subrequest, @Nullable String why) {
    if (why != null) {
      failed(why);
      servers.remove(subrequests.indexOf(subrequest));
      subrequests.remove(subrequest);
      loopState.requestPool().give(subrequest);
    }
    open--;
    if (why == null && !aggregate.needsAll()) {
      compare(subrequest);
    }
    proceed();
  }

  private void compare(PendingReply complete) {
    ByteBuf reply = reply(complete);
    ServerVersion version = aggregate.versionIn(reply);
    reply.release();
    if (version != null && (lowest == null || version.compareTo(lowest) < 0)) {
      lowest = version;
    }
  }

  /** Answers the client if everything has come, or if nothing that is awaited can change it. */
  private void proceed() {
    if (sent && (open == 0 || isLowest())) {
      end();
    }
  }

  /** Whether no server that has not replied is lower, by the version that it last reported. */
  private boolean isLowest() {
    ServerVersion least = lowest;
    if (least == null) {
      return false;
    }
    for (int i = 0; i < subrequests.size(); i++) {
      Server server = servers.get(i);
      if (server != null && !subrequests.get(i).isComplete() && !isNoLower(server, least)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isNoLower(Server server, ServerVersion than) {
    return server.version().isKnown() && server.version().compareTo(than) >= 0;
  }

  /** The replies that are complete; the caller owns them. */
  private List<ByteBuf> replies() {
    return subrequests.stream().filter(PendingReply::isComplete).map(this::reply).toList();
  }

  private void end() {
    PendingReply of = whole;
    ByteBuf reply = null;
    if (of.suppression() != Suppression.ALL) {
      if (failure != null && (aggregate.needsAll() || subrequests.isEmpty())) {
        of.fails();
        reply = client.failureReply(of, failure);
      } else {
        List<ByteBuf> replies = replies();
        reply = aggregate.of(replies);
        replies.forEach(ByteBuf::release);
      }
    }
    of.splitInto(null);
    owes = true;
    client.owes(underWay);
    cancel();
    client.answer(of, reply);
  }

  @Override
  public void begin(long what) {
    underWay++;
  }

  @Override
  public void end(long what) {
    underWay--;
    if (owes) {
      client.owes(-1);
    }
  }

  /** The reply to subrequest, whose bytes are not copied; the caller owns the result. */
  private ByteBuf reply(PendingReply subrequest) {
    int count = subrequest.sliceCount();
    if (count == 1) {
      return subrequest.slice(0).retainedSlice();
    }
    CompositeByteBuf all =
        loopState.loop().workspace().allocator().compositeDirectBuffer(Math.max(1, count));
    for (int i = 0; i < count; i++) {
      all.addComponent(true, subrequest.slice(i).retainedSlice());
    }
    return all;
  }

  @Override
  public boolean awaits(PendingReply subrequest) {
    return true; // all replies are combined
  }

  @Override
  public long progress() {
    return subrequests.stream().mapToLong(PendingReply::progress).sum();
  }

  @Override
  public void cancel() {
    for (PendingReply subrequest : subrequests) {
      loopState.requestPool().give(subrequest);
    }
    subrequests.clear();
    servers.clear();
  }
}
