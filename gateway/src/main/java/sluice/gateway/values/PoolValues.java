package sluice.gateway.values;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import sluice.codecs.ProtocolException;
import sluice.codecs.buffer.Replacement;
import sluice.codecs.buffer.Replacer;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.kafka.HeadersLayout;
import sluice.codecs.memcached.bridge.Awaited;
import sluice.codecs.memcached.bridge.Failure;
import sluice.codecs.memcached.bridge.Operation;
import sluice.codecs.memcached.bridge.Reply;
import sluice.codecs.memcached.bridge.Request;
import sluice.config.model.PlainValues;
import sluice.config.model.PoolConfig;
import sluice.config.model.ReplacementConfig;
import sluice.config.model.ValuesConfig;
import sluice.gateway.loop.Loop;

/**
 * Value processing of one pool, as configured: compression on the way to the servers;
 * decompression, removal of headers and replacements on the way back.
 */
public final class PoolValues implements ValueWork {
  /** The most bytes by which replacements may make a value grow. */
  private static final int MOST_GROWTH = 16 << 20;

  private final @Nullable Compression compression;
  private final @Nullable HeadersLayout plain;
  private final @Nullable Replacer replacer;
  private final Loop loop;
  private final SliceList other;

  private PoolValues(
      @Nullable Compression compression,
      @Nullable HeadersLayout plain,
      @Nullable Replacer replacer,
      Loop loop) {
    this.compression = compression;
    this.plain = plain;
    this.replacer = replacer;
    this.loop = loop;
    other = new SliceList(loop.slices());
  }

  /**
   * The processing for one pool on one loop; null if there is none.
   *
   * @param dictionaries of its compression; null for a pool without compression
   * @param itemSize of the largest values that clients may have
   */
  public static @Nullable PoolValues of(
      PoolConfig pool, @Nullable PoolDictionaries dictionaries, long itemSize, Loop loop) {
    Optional<ValuesConfig> values = pool.values();
    if (pool.compression().isEmpty() && values.isEmpty()) {
      return null;
    }
    return new PoolValues(
        dictionaries == null
            ? null
            : new Compression(pool.compression().orElseThrow(), dictionaries, itemSize, loop),
        values.flatMap(ValuesConfig::plain).map(PoolValues::layout).orElse(null),
        values
            .map(ValuesConfig::replace)
            .filter(list -> !list.isEmpty())
            .map(PoolValues::replacer)
            .orElse(null),
        loop);
  }

  private static HeadersLayout layout(PlainValues plain) {
    return switch (plain) {
      case KAFKA_HEADERS -> HeadersLayout.HEADERS;
      case KAFKA_TIMESTAMPED_HEADERS -> HeadersLayout.TIMESTAMPED_HEADERS;
    };
  }

  private static Replacer replacer(List<ReplacementConfig> list) {
    return new Replacer(
        list.stream()
            .map(each -> new Replacement(each.find().getBytes(UTF_8), each.with().getBytes(UTF_8)))
            .toList());
  }

  private boolean rewrites() {
    return plain != null || replacer != null;
  }

  /** Requests the value where the client wants only flags or size, which depend on it. */
  @Override
  public void prepare(Request request) {
    if (request.operation != Operation.GET && request.operation != Operation.TOUCH) {
      return;
    }
    if (compression != null) {
      if (request.wants(Request.FLAGS | Request.SIZE)) {
        request.likes |= Request.VALUE;
      }
      if (request.takes(Request.VALUE)) {
        request.likes |= Request.FLAGS;
      }
    }
    if (rewrites() && request.wants(Request.SIZE)) {
      request.likes |= Request.VALUE;
    }
  }

  @Override
  public boolean gathers(Request request) {
    return compression != null && compression.gathers(request);
  }

  @Override
  public @Nullable Failure outbound(Request request, SliceList value) {
    if (compression == null) {
      return null;
    }
    Failure error = compression.compress(request, value, other);
    request.valueLength = value.length();
    return error;
  }

  @Override
  public boolean gathers(Reply reply, Awaited awaited) {
    return rewrites() || (compression != null && compression.isMarked(reply));
  }

  @Override
  public @Nullable Failure inbound(Reply reply, Awaited awaited, SliceList value) {
    try {
      return read(reply, value);
    } finally {
      // There may have been no memory for all of it. The next value must not begin with the rest.
      other.clear();
    }
  }

  private @Nullable Failure read(Reply reply, SliceList value) {
    Failure error = compression == null ? null : compression.restore(reply, value, other);
    if (error == null && plain != null) {
      error = strip(plain, value);
    }
    if (error == null && replacer != null) {
      error = replace(replacer, value);
    }
    reply.value(value.length());
    return error;
  }

  @Override
  public @Nullable Failure describe(Reply reply, Awaited awaited, SliceList value) {
    // Flags do not depend on what is rewritten, and the length does.
    return compression == null || (rewrites() && awaited.wantsSize())
        ? inbound(reply, awaited, value)
        : compression.describe(reply, value);
  }

  @Override
  public void unmark(Reply reply) {
    if (compression != null) {
      compression.unmark(reply);
    }
  }

  @Override
  public @Nullable ValueWork withoutRewriting() {
    return compression == null ? null : new PoolValues(compression, null, null, loop);
  }

  @Override
  public void answered(Reply reply, Awaited awaited) {
    if (compression == null) {
      return;
    }
    boolean describes =
        awaited.operation() == Operation.TOUCH || awaited.operation() == Operation.GET;
    if (describes && compression.isMarked(reply)) {
      compression.unmark(reply);
      reply.size = -1; // that of the stored form
    }
    if (reply.size >= 0 && awaited.operation().isStorage()) {
      boolean joined =
          awaited.operation() == Operation.APPEND || awaited.operation() == Operation.PREPEND;
      reply.size = joined ? -1 : awaited.valueLength();
    }
  }

  private @Nullable Failure strip(HeadersLayout plain, SliceList value) {
    try {
      value.skip(plain.plainOffset(value));
      return null;
    } catch (ProtocolException e) {
      return Failure.ofServer(String.valueOf(e.getMessage()));
    }
  }

  private @Nullable Failure replace(Replacer replacer, SliceList value) {
    long length = replacer.lengthAfter(value);
    if (!replacer.found()) {
      return null;
    }
    if (length - value.length() > MOST_GROWTH) {
      return Failure.ofServer("value is too long after its replacements");
    }
    if (length > value.length() && loop.memory().isFull()) {
      return Compression.NO_MEMORY;
    }
    replacer.move(value, other);
    other.moveTo(value);
    return null;
  }
}
