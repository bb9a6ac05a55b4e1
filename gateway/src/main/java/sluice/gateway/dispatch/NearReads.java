package sluice.gateway.dispatch;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.bridge.Reply;
import sluice.codecs.memcached.bridge.ReplyWriter;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.bridge.Status;
import sluice.embedded.NearItems;
import sluice.gateway.exchange.Bridged;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.metrics.NearMetrics;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.near.Flight;
import sluice.gateway.near.NearCache;
import sluice.gateway.session.Worker;
import sluice.names.Command;

/**
 * Reads that a near cache may answer: the bridge's request is looked for there, waits for one that
 * asks the same, or becomes one that others wait for. One an event loop.
 */
public final class NearReads {
  /** What becomes of a request. */
  public enum Look {
    /** It is answered. */
    ANSWERED,
    /** Its client waits, and asks again. */
    WAITS,
    /** It is to be sent. */
    PASSES
  }

  private final Worker worker;
  private final RequestSender sender;
  private final Request request;
  private final Reply reply = new Reply();

  NearReads(Worker worker, RequestSender sender) {
    this.worker = worker;
    this.sender = sender;
    this.request = sender.request();
  }

  /** Looks for the request, whose key is as the servers of target know it. */
  public Look look(
      ClientSession client, Command command, ReplyWriter replies, Target target, int hides) {
    if (!request.asksForStored()) {
      return Look.PASSES;
    }
    NearMetrics metrics = target.near().metrics();
    ByteBuf found;
    boolean missed = false;
    boolean departs = false;
    int hash = hash();
    // One step: what is not here may be on its way, and may have come a moment later.
    NearCache.Part part = target.near().cache().lock(hash);
    try {
      found = found(part, hash, replies, false);
      if (found == null) {
        missed = client.takeMissed();
        departs = !missed && departs(part, hash, client, target);
      }
    } finally {
      part.unlock();
    }
    if (found != null) {
      metrics.count(client.hasAwaited() ? NearMetrics.Result.SHARED : NearMetrics.Result.HIT);
      client.answer(command, Outcome.OK, found);
      return Look.ANSWERED;
    }
    if (missed) {
      metrics.count(NearMetrics.Result.SHARED);
      client.answer(command, Outcome.MISS, hides == Exchange.HIDE_MISS ? null : missed(replies));
      return Look.ANSWERED;
    }
    if (!departs) {
      return Look.WAITS;
    }
    metrics.count(NearMetrics.Result.MISS);
    return Look.PASSES;
  }

  /**
   * The reply to the request, if the cache knows it, else null; the caller owns the result.
   *
   * @param asPart whether it is one of a read of several keys
   */
  public ByteBuf found(ReplyWriter replies, Target target, boolean asPart) {
    if (!request.asksForStored()) {
      return null;
    }
    int hash = hash();
    NearCache.Part part = target.near().cache().lock(hash);
    try {
      return found(part, hash, replies, asPart);
    } finally {
      part.unlock();
    }
  }

  private ByteBuf found(NearCache.Part part, int hash, ReplyWriter replies, boolean asPart) {
    int item = part.find(hash, request.key, request.keyFrom, request.keyTo, worker.loop().now());
    if (item == NearItems.NONE) {
      return null;
    }
    NearItems items = part.items();
    reply.clear(Status.OK);
    reply.flags = items.flags(item);
    reply.cas = items.cas(item);
    reply.value(items.valueLength(item));
    return write(replies, asPart, items, item);
  }

  private ByteBuf missed(ReplyWriter replies) {
    reply.clear(Status.NOT_FOUND);
    return write(replies, false, null, NearItems.NONE);
  }

  private ByteBuf write(ReplyWriter replies, boolean asPart, NearItems items, int item) {
    Bridged bridged = worker.exchanges().takeBridged();
    bridged.awaited().remember(request);
    if (asPart) {
      bridged.awaited().asPart();
    }
    boolean valued = item != NearItems.NONE && request.wants(Request.VALUE);
    int value = valued ? reply.valueLength : 0;
    ByteBuf out = worker.loop().buffer(ReplyWriter.longest(reply, bridged.awaited()) + value);
    replies.write(reply, bridged.awaited(), out);
    if (valued) {
      items.readValue(item, out);
      replies.endValue(bridged.awaited(), out);
    }
    worker.exchanges().give(bridged);
    return out;
  }

  /** Whether client waits for a request that asks the same, and asks again afterwards. */
  public boolean waits(ClientSession client, Target target) {
    if (!request.asksForStored() || !request.wants(Request.VALUE)) {
      return false;
    }
    int hash = hash();
    NearCache.Part part = target.near().cache().lock(hash);
    try {
      return part.isQuiet(hash) && waits(client, part, key(hash), hash);
    } finally {
      part.unlock();
    }
  }

  /** The request, one of a read of several keys, is sent: what it brings may be kept. */
  public void departs(Target target) {
    if (!request.asksForStored()) {
      return;
    }
    target.near().metrics().count(NearMetrics.Result.MISS);
    int hash = hash();
    NearCache.Part part = target.near().cache().lock(hash);
    try {
      departs(part, hash, null, target);
    } finally {
      part.unlock();
    }
  }

  /**
   * The request is not known. Unless client waits for one that asks the same, it is to be sent, and
   * what it brings may be kept.
   *
   * @param client who waits; null if it does not
   * @return whether it is to be sent
   */
  private boolean departs(NearCache.Part part, int hash, ClientSession client, Target target) {
    if (!request.wants(Request.VALUE) || !part.isQuiet(hash)) {
      return true;
    }
    Flight.Key key = key(hash);
    if (client != null && waits(client, part, key, hash)) {
      return false;
    }
    sender.departs(
        new Flight(
            target.near().cache(),
            part,
            key,
            hash,
            worker.loop().now(),
            target.work(),
            target.near().metrics()));
    request.likes |=
        Request.FLAGS | Request.CAS; // whoever reads it from the cache may ask for both
    return true;
  }

  private int hash() {
    return NearCache.hash(request.key, request.keyFrom, request.keyTo);
  }

  private Flight.Key key(int hash) {
    return new Flight.Key(request.key, request.keyFrom, request.keyTo, hash);
  }

  private static boolean waits(
      ClientSession client, NearCache.Part part, Flight.Key key, int hash) {
    Flight other = client.mayAwait() ? part.underWay(key, hash) : null;
    if (other == null) {
      return false;
    }
    client.awaits();
    other.await(client);
    return true;
  }
}
