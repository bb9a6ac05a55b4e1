package sluice.gateway.dispatch.policy;

import io.netty.buffer.ByteBuf;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.bridge.Reply;
import sluice.codecs.memcached.bridge.ReplyWriter;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.bridge.Status;
import sluice.embedded.NearItems;
import sluice.gateway.dispatch.Admission;
import sluice.gateway.dispatch.Backend;
import sluice.gateway.dispatch.ClientSession;
import sluice.gateway.dispatch.DelegatingBackend;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.dispatch.RequestContext;
import sluice.gateway.dispatch.RequestSender;
import sluice.gateway.metrics.NearMetrics;
import sluice.gateway.metrics.NearResult;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.near.NearCache;
import sluice.gateway.near.SingleFlight;
import sluice.gateway.request.Bridged;
import sluice.gateway.request.Suppression;
import sluice.names.Dialect;

/**
 * Backend that answers reads from a near cache. A request is looked up there, waits for one with
 * the same key, or becomes one that others wait for.
 */
final class NearCacheBackend extends DelegatingBackend {
  private final NearCache cache;
  private final NearMetrics metrics; // the event loop's
  private final IdentityHashMap<Backend, Backend> chosen = new IdentityHashMap<>();
  private final Reply reply = new Reply();

  NearCacheBackend(NearCache cache, NearMetrics metrics, Backend next) {
    super(next);
    this.cache = cache;
    this.metrics = metrics;
  }

  @Override
  public @Nullable Pool plain(Dialect client) {
    return null;
  }

  @Override
  public Backend select(
      Dialect client, ByteBuf key, int from, int to, ByteBuf renamed, double draw) {
    return before(next.select(client, key, from, to, renamed, draw));
  }

  @Override
  public Backend forOneOfManyKeys(Dialect client, boolean changes, ByteBuf key, int from, int to) {
    return before(next.forOneOfManyKeys(client, changes, key, from, to));
  }

  private Backend before(Backend other) {
    if (other == next) {
      return this;
    }
    return chosen.computeIfAbsent(other, each -> new NearCacheBackend(cache, metrics, each));
  }

  @Override
  public Admission prepare(RequestContext context) {
    Admission admission = context.isOneOfMany() ? lookForOneOfMany(context) : look(context);
    if (admission == Admission.READY) {
      admission = next.prepare(context);
    }
    if (admission != Admission.READY) {
      context.staysHere();
    }
    return admission;
  }

  /**
   * Sends the request. A read of many keys begins its single flights only here, when it has
   * connections for all keys.
   */
  @Override
  public @Nullable ByteBuf send(RequestContext context) {
    if (context.isOneOfMany()) {
      depart(context);
    }
    return next.send(context);
  }

  private Admission look(RequestContext context) {
    Request request = context.request();
    if (!request.asksForStored()) {
      return Admission.READY;
    }
    ClientSession client = context.client();
    ByteBuf found;
    boolean missed = false;
    boolean beginsSingleFlight = false;
    int hash = hash(request);
    // One step: an item that is missing here may be on its way, and may have arrived a moment
    // later.
    NearCache.Part part = cache.lock(hash);
    try {
      found = found(context, part, hash);
      if (found == null) {
        missed = client.takeMissed();
        beginsSingleFlight = !missed && beginsSingleFlight(context, part, hash, true);
      }
    } finally {
      part.unlock();
    }
    if (found != null) {
      metrics.reads().count(client.hasAwaited() ? NearResult.SHARED : NearResult.HIT);
      return context.answered(Outcome.OK, found);
    }
    if (missed) {
      metrics.reads().count(NearResult.SHARED);
      boolean silent = context.suppression() == Suppression.MISS;
      return context.answered(Outcome.MISS, silent ? null : missed(context));
    }
    if (!beginsSingleFlight) {
      return Admission.WAITS;
    }
    metrics.reads().count(NearResult.MISS);
    return Admission.READY;
  }

  private Admission lookForOneOfMany(RequestContext context) {
    Request request = context.request();
    if (!request.asksForStored()) {
      return Admission.READY;
    }
    int hash = hash(request);
    NearCache.Part part = cache.lock(hash);
    try {
      ByteBuf found = found(context, part, hash);
      if (found != null) {
        return context.answered(Outcome.OK, found);
      }
      boolean waits =
          context.isClientsNext()
              && request.wants(Request.VALUE)
              && part.isQuiet(hash)
              && waits(context, part, key(request, hash), hash);
      return waits ? Admission.WAITS : Admission.READY;
    } finally {
      part.unlock();
    }
  }

  private @Nullable ByteBuf found(RequestContext context, NearCache.Part part, int hash) {
    Request request = context.request();
    long now = context.sender().loop().now();
    int item = part.find(hash, request.key.buffer, request.key.from, request.key.to, now);
    NearItems items = part.items();
    if (item == NearItems.NONE || (showsStates(context) && !items.isKnownFresh(item))) {
      return null;
    }
    reply.clear(Status.OK);
    reply.flags = items.flags(item);
    reply.cas = items.cas(item);
    reply.value(items.valueLength(item));
    return write(context, items, item);
  }

  private ByteBuf missed(RequestContext context) {
    reply.clear(Status.NOT_FOUND);
    return write(context, null, NearItems.NONE);
  }

  private ByteBuf write(RequestContext context, @Nullable NearItems items, int item) {
    RequestSender sender = context.sender();
    Bridged bridged = sender.loopState().requestPool().takeBridged();
    bridged.awaited().remember(context.request());
    if (context.isOneOfMany()) {
      bridged.awaited().asSubrequest();
    }
    NearItems valued = context.request().wants(Request.VALUE) ? items : null;
    int value = valued != null ? reply.valueLength : 0;
    int longest = ReplyWriter.longest(reply, bridged.awaited()) + value;
    ByteBuf out = sender.loop().buffer(longest);
    context.replies().write(reply, bridged.awaited(), out);
    if (valued != null) {
      valued.readValue(item, out);
      context.replies().endValue(bridged.awaited(), out);
    }
    sender.loopState().requestPool().give(bridged);
    return out;
  }

  /** Begins the single flight of one key's request in a read of several keys. */
  private void depart(RequestContext context) {
    Request request = context.request();
    if (!request.asksForStored()) {
      return;
    }
    metrics.reads().count(NearResult.MISS);
    int hash = hash(request);
    NearCache.Part part = cache.lock(hash);
    try {
      beginsSingleFlight(context, part, hash, false);
    } finally {
      part.unlock();
    }
  }

  /**
   * Handles a request that is not cached. Unless its client waits for another request with the same
   * key, it must be sent, and its reply may be cached.
   *
   * @return whether it must be sent
   */
  private boolean beginsSingleFlight(
      RequestContext context, NearCache.Part part, int hash, boolean mayWait) {
    Request request = context.request();
    if (!request.wants(Request.VALUE) || !part.isQuiet(hash)) {
      return true;
    }
    SingleFlight.Key key = key(request, hash);
    if (mayWait && waits(context, part, key, hash)) {
      return false;
    }
    context.beginsSingleFlight(
        new SingleFlight(
            cache, part, key, hash, context.sender().loop().now(), showsStates(context), metrics));
    request.likes |=
        Request.FLAGS | Request.CAS; // a later reader of the cached item may request both
    return true;
  }

  /**
   * Whether the server's reply would show states of the item. If so, a reply that did not show them
   * is of no use.
   */
  private boolean showsStates(RequestContext context) {
    return pool().showsStates(context.dialect());
  }

  private static int hash(Request request) {
    return NearCache.hash(request.key.buffer, request.key.from, request.key.to);
  }

  private static SingleFlight.Key key(Request request, int hash) {
    return new SingleFlight.Key(request.key.buffer, request.key.from, request.key.to, hash);
  }

  /**
   * Waits for a read of the same key, if there is one, but no longer than a server may take. The
   * read's own client may take its reply slowly, and so hold up the server's connection.
   */
  private boolean waits(
      RequestContext context, NearCache.Part part, SingleFlight.Key key, int hash) {
    ClientSession client = context.client();
    SingleFlight other = client.mayAwait() ? part.underWay(key, hash) : null;
    if (other == null || (showsStates(context) && !other.showsStates())) {
      return false;
    }
    long until = other.sentAt() + pool().longestWaitNanos();
    if (context.sender().loop().now() - until > 0) {
      part.remove(other); // later reads wait for this one
      return false;
    }
    client.awaits(other, until);
    return true;
  }
}
