package sluice.codecs.memcached.bridge;

import io.netty.buffer.ByteBuf;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.Utf8;
import sluice.codecs.ignite.RequestHeads;

/**
 * Writer of requests as packets of Apache Ignite's dialect ({@code GridTcpMemcachedNioListener}),
 * in their answering form. It writes nothing that makes a node close the connection. Flags must
 * already be Ignite's types. One instance for each pool and event loop.
 */
public final class IgniteRequestWriter implements RequestWriter {
  private static final String KEY = "a key that is not UTF-8, which Ignite cannot store";
  private static final String NO_KEY = "an empty key, which Ignite does not accept";
  private static final String CAS = "cas, which Ignite does not have";
  private static final String TOUCH =
      "the time to live of an existing item, which Ignite cannot change";
  private static final String FIELDS = "item fields that Ignite does not report";
  private static final String COUNTERS = "counters, which Ignite keeps outside the cache";
  private static final String EXPIRY = "the time to live of a counter, which Ignite cannot set";
  private static final String DELAY = "a delayed flush, which Ignite does not support";
  private static final String VERBOSITY = "verbosity, which Ignite does not have";
  private static final String STATISTICS = "statistics by name, which Ignite does not have";

  private static final int MILLIS = 1000;

  /** For an item that must expire at once; 0 would mean never. */
  private static final int SHORTEST_MILLIS = 1;

  private final RequestHeads heads;
  private final boolean counters;
  private final LongSupplier seconds;
  private final Utf8 utf8 = new Utf8();

  /**
   * A writer of requests to one cache.
   *
   * @param cacheName UTF-8; empty for the cache named {@code default}
   * @param counters whether increments change Ignite's atomic longs; otherwise they are refused
   * @param seconds the current time, in seconds since 1970
   */
  public IgniteRequestWriter(byte[] cacheName, boolean counters, LongSupplier seconds) {
    heads = new RequestHeads(cacheName);
    this.counters = counters;
    this.seconds = seconds;
  }

  @Override
  public boolean endsValueWithLine() {
    return false;
  }

  @Override
  public ReplyReader replies() {
    return IgniteReplyReader.INSTANCE;
  }

  @Override
  public @Nullable String write(Request request, int opaque, Awaited awaited, ByteBuf out) {
    String reason = reason(request);
    if (reason != null) {
      return reason;
    }
    int opcode = PacketOperations.opcode(request.operation);
    awaited.serverOpcode = opcode;
    awaited.serverOpaque(opaque);
    int key = request.key.length();
    switch (request.operation) {
      case SET, ADD, REPLACE ->
          heads.store(
              out, opcode, opaque, request.flags, expiryMillis(request), key, request.valueLength);
      case INCREMENT -> count(request, opcode, opaque, -request.arithmetic.delta, out);
      case DECREMENT -> count(request, opcode, opaque, request.arithmetic.delta, out);
      case APPEND, PREPEND -> heads.other(out, opcode, opaque, key, request.valueLength);
      default -> heads.other(out, opcode, opaque, key, 0);
    }
    if (key > 0) {
      request.key.appendTo(out);
    }
    return null;
  }

  /**
   * A node applies the delta to the initial value; memcached first replies with the initial value.
   */
  private void count(Request request, int opcode, int opaque, long back, ByteBuf out) {
    Arithmetic arithmetic = request.arithmetic;
    long initial = arithmetic.created.isGiven ? arithmetic.initial + back : 0;
    heads.count(out, opcode, opaque, arithmetic.delta, initial, 0, request.key.length());
  }

  private @Nullable String reason(Request request) {
    if (request.meta.hasNeeded()) {
      return MetaWords.reason(request.meta.firstNeeded());
    }
    if (request.comparesCas || request.wants(Request.CAS)) {
      return CAS;
    }
    return switch (request.operation) {
      case VERSION -> null;
      case STATS -> request.key.length() > 0 ? STATISTICS : null;
      case VERBOSITY -> VERBOSITY;
      case FLUSH -> request.timeToLive.isGiven && request.timeToLive.exptime > 0 ? DELAY : null;
      default -> ofItem(request);
    };
  }

  private @Nullable String ofItem(Request request) {
    if (request.key.length() == 0) {
      return NO_KEY;
    }
    if (!utf8.isValid(request.key.buffer, request.key.from, request.key.to)) {
      return KEY;
    }
    return switch (request.operation) {
      case TOUCH -> TOUCH;
      case GET ->
          request.timeToLive.isGiven
              ? TOUCH
              : request.wants(~(Request.VALUE | Request.FLAGS | Request.SIZE)) ? FIELDS : null;
      case INCREMENT, DECREMENT ->
          !counters
              ? COUNTERS
              : request.timeToLive.isGiven ? EXPIRY : request.wants(~Request.VALUE) ? FIELDS : null;
      default -> request.wants(~Request.SIZE) ? FIELDS : null;
    };
  }

  /**
   * Milliseconds from now: a node knows no absolute times, and keeps 31 bits. A longer time to live
   * becomes the longest one, 24 days.
   */
  private int expiryMillis(Request request) {
    if (request.timeToLive.exptime == 0) {
      return 0;
    }
    long left =
        request.timeToLive.exptime > Exptime.MOST_RELATIVE
            ? request.timeToLive.exptime - seconds.getAsLong()
            : request.timeToLive.exptime;
    return left <= 0 ? SHORTEST_MILLIS : (int) Math.min(left * MILLIS, Integer.MAX_VALUE);
  }

  /** Whether an item with this time to live expires at once. */
  public boolean isExpired(long exptime) {
    return exptime < 0 || (exptime > Exptime.MOST_RELATIVE && exptime <= seconds.getAsLong());
  }
}
