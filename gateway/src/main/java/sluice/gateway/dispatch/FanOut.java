package sluice.gateway.dispatch;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import sluice.codecs.memcached.ServerVersion;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.exchange.Gathering;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.session.Worker;

/**
 * Broadcast: a command without a key that goes to every server of a route, with one combined reply
 * (docs/memcached.md). Rare: it allocates what it needs.
 */
public final class FanOut implements Gathering {
  /** Combination of the replies into one. */
  public interface Aggregate {
    /**
     * The reply to the client.
     *
     * @param replies one for each server, in order; borrowed
     * @return the caller owns the result
     */
    ByteBuf of(List<ByteBuf> replies);

    /** Whether there is no combined reply unless all servers reply. */
    default boolean needsAll() {
      return true;
    }
  }

  /**
   * Aggregate that selects the reply with the lowest version, so that clients use only features of
   * all servers. Clients also use this command as a probe, and so do older gateways. A server that
   * does not reply is therefore ignored, as long as another does.
   *
   * @param version of a reply, which is borrowed; null if it states none
   */
  public record LowestVersion(Function<ByteBuf, ServerVersion> version) implements Aggregate {
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
  }

  private final Worker worker;
  private final ClientSession client;
  private final Exchange whole;
  private final Aggregate aggregate;
  private final List<Exchange> parts = new ArrayList<>();
  private int open = 1; // initially 1, until all parts are sent
  private String failure;

  FanOut(Worker worker, ClientSession client, Exchange whole, Aggregate aggregate) {
    this.worker = worker;
    this.client = client;
    this.whole = whole;
    this.aggregate = aggregate;
    whole.splitInto(this);
  }

  /** Adds a part, which the caller sends. */
  Exchange part() {
    Exchange part =
        worker
            .exchanges()
            .take()
            .start(
                client, whole.command(), whole.grammar(), Exchange.HIDE_NOTHING, whole.started());
    part.partOf(this, parts.size());
    parts.add(part);
    open++;
    return part;
  }

  /** All parts have been sent. */
  void sent() {
    open--;
    end();
  }

  /** Ends a part that cannot be sent. */
  void failed(String reason) {
    failure = failure == null ? reason : failure;
  }

  @Override
  public void partCompleted(Exchange part, String why) {
    if (why != null) {
      failed(why);
      parts.remove(part);
      worker.exchanges().give(part);
    }
    open--;
    end();
  }

  private void end() {
    if (open > 0) {
      return;
    }
    Exchange of = whole;
    ByteBuf reply = null;
    if (of.hides() != Exchange.HIDE_ALL) {
      if (failure != null && (aggregate.needsAll() || parts.isEmpty())) {
        of.outcome(Outcome.SERVER_DOWN);
        reply = client.failureReply(of, failure);
      } else {
        List<ByteBuf> replies = new ArrayList<>();
        for (Exchange part : parts) {
          replies.add(reply(part));
        }
        reply = aggregate.of(replies);
        replies.forEach(ByteBuf::release);
      }
    }
    of.splitInto(null);
    cancel();
    client.answer(of, reply);
  }

  private ByteBuf reply(Exchange part) {
    ByteBuf all = worker.loop().buffer(Math.max(64, part.heldBytes()));
    for (int i = 0; i < part.pieceCount(); i++) {
      all.writeBytes(part.piece(i), part.piece(i).readerIndex(), part.piece(i).readableBytes());
    }
    return all;
  }

  @Override
  public boolean awaits(Exchange part) {
    return true; // all replies are combined
  }

  @Override
  public void cancel() {
    for (Exchange part : parts) {
      worker.exchanges().give(part);
    }
    parts.clear();
  }
}
