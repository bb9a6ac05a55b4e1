package sluice.gateway.values;

import io.netty.buffer.ByteBuf;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.compress.Algorithm;
import sluice.codecs.compress.Compressor;
import sluice.codecs.compress.Dictionaries;
import sluice.codecs.compress.StoredValue;
import sluice.codecs.memcached.CountableValue;
import sluice.codecs.memcached.bridge.Failure;
import sluice.codecs.memcached.bridge.Operation;
import sluice.codecs.memcached.bridge.Reply;
import sluice.codecs.memcached.bridge.Request;
import sluice.config.model.CompressionAlgorithm;
import sluice.config.model.CompressionConfig;
import sluice.config.model.OnCorrupt;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.CompressionStage;
import sluice.gateway.metrics.LoopMetrics;
import sluice.names.DictionaryId;

/**
 * Compression of a pool's values, and the flags that mark them ({@code docs/reference/values.md}).
 * Appended and prepended bytes pass unchanged: {@link Compressor#restore} joins them.
 */
final class Compression {
  private static final Failure HOLDS_MARK =
      Failure.ofServer("value to be prepended contains the mark of compressed values");
  private static final Failure FOREIGN =
      Failure.ofServer("value was marked as compressed by another program");
  private static final Failure DAMAGED = Failure.ofServer("compressed value is damaged");
  private static final Failure TOO_LONG =
      Failure.ofServer("compressed value exceeds the item size limit");

  /** The ceiling of buffered bytes is reached: no value may become longer. */
  static final Failure NO_MEMORY = Failure.ofServer("out of memory for the whole value");

  private final Loop loop;
  private final LoopMetrics metrics;
  private final Compressor compressor;
  private final Algorithm algorithm;
  private final Dictionaries dictionaries;
  private final ValueSamples samples;
  private final long above;
  private final int percent;
  private final int flag;
  private final int alreadyCompressed;
  private final boolean passesCorrupt;
  private final int most;

  Compression(CompressionConfig config, PoolDictionaries dictionaries, long itemSize, Loop loop) {
    this.loop = loop;
    metrics = loop.metrics();
    compressor = loop.compressor();
    algorithm = algorithm(config.algorithm());
    load();
    this.dictionaries = dictionaries.dictionaries();
    samples = dictionaries.samples();
    above = config.aboveBytes();
    percent = config.keepIfUnderPercent();
    flag = config.flag();
    alreadyCompressed = config.alreadyCompressed();
    passesCorrupt = config.onCorrupt() == OnCorrupt.PASS;
    most = (int) Math.min(itemSize, StoredValue.MOST_BYTES);
  }

  /**
   * Loads the algorithm's library now, and not with the first value.
   *
   * @throws IllegalStateException if that is not possible here
   */
  private void load() {
    try {
      compressor.load(algorithm);
    } catch (LinkageError e) {
      throw new IllegalStateException(
          "compression: found no "
              + algorithm
              + " that can be loaded, expected a directory for temporary files from which libraries"
              + " can be executed ("
              + e.getMessage()
              + ")",
          e);
    }
  }

  private static Algorithm algorithm(CompressionAlgorithm config) {
    return switch (config) {
      case ZSTD -> Algorithm.ZSTD;
      case LZ4 -> Algorithm.LZ4;
      case DEFLATE -> Algorithm.DEFLATE;
    };
  }

  boolean gathers(Request request) {
    return switch (request.operation) {
      case SET, ADD, REPLACE -> hasFlag(request) || mayCompress(request);
      case PREPEND -> true;
      default -> false;
    };
  }

  private boolean hasFlag(Request request) {
    return (request.flags & flag) != 0;
  }

  private boolean mayCompress(Request request) {
    return request.valueLength > above
        && request.valueLength <= most
        && (request.flags & alreadyCompressed) == 0;
  }

  /**
   * Replaces value by its stored form, and sets the request's flags.
   *
   * @param room an empty queue, which is empty again afterwards
   * @return null, or the failure to answer with
   */
  @Nullable Failure compress(Request request, SliceList value, SliceList room) {
    if (request.operation == Operation.PREPEND) {
      return compressor.holdsMark(value) ? HOLDS_MARK : null;
    }
    if (CountableValue.is(value) && !(hasFlag(request) && compressor.holdsMark(value))) {
      return null;
    }
    ByteBuf stored = mayCompress(request) ? compressed(request, value) : null;
    if (stored != null) {
      value.clear();
      value.add(stored);
      request.flags |= flag;
    } else if (hasFlag(request)) {
      ByteBuf mark = loop.buffer(StoredValue.MARKED_LENGTH);
      StoredValue.writeMark(mark);
      room.add(mark);
      value.moveTo(room);
      room.moveTo(value);
    }
    return null;
  }

  private @Nullable ByteBuf compressed(Request request, SliceList value) {
    int length = value.length();
    samples.offer(value);
    int limit = (int) ((length * (long) percent + 99) / 100) - 1;
    ByteBuf stored = compressor.compress(value, algorithm, dictionaries, hasFlag(request), limit);
    if (stored == null) {
      metrics.compressed(CompressionStage.PASSED, length);
    } else {
      metrics.compressed(CompressionStage.PLAIN, length);
      metrics.compressed(CompressionStage.STORED, stored.readableBytes());
    }
    return stored;
  }

  /**
   * Clears the mark of flags that come without their value: whether the client had set the bit is
   * unknown.
   */
  void unmark(Reply reply) {
    reply.flags &= ~flag;
  }

  boolean isMarked(Reply reply) {
    return (reply.flags & flag) != 0;
  }

  /**
   * Replaces value by what the client has stored, and sets the reply's flags.
   *
   * @param room an empty queue, which is empty again afterwards
   * @return null, or the failure to answer with
   */
  @Nullable Failure restore(Reply reply, SliceList value, SliceList room) {
    if (!isMarked(reply)) {
      return null;
    }
    if (loop.memory().isFull()) {
      return NO_MEMORY;
    }
    int stored = value.length();
    Compressor.Outcome outcome = compressor.restore(value, dictionaries, most, room);
    if (outcome == Compressor.Outcome.RESTORED) {
      room.moveTo(value);
      metrics.compressed(CompressionStage.READ, stored);
      metrics.compressed(CompressionStage.RESTORED, value.length());
      if (!compressor.hadClientsBit()) {
        reply.flags &= ~flag;
      }
      return null;
    }
    if (passesCorrupt) {
      return null;
    }
    return switch (outcome) {
      case FOREIGN -> CountableValue.is(value) ? null : FOREIGN;
      case TOO_LONG -> TOO_LONG;
      case UNKNOWN_DICTIONARY -> unknownDictionary();
      case NO_LIBRARY -> noLibrary();
      default -> DAMAGED;
    };
  }

  /**
   * Sets the reply's flags and lengths to those of the value that the client has stored, by the
   * head of its stored form. Restoring the value would take time in proportion to its length, for a
   * request of a few bytes. What the head says is not verified.
   *
   * @return null, or the failure to answer with
   */
  @Nullable Failure describe(Reply reply, SliceList value) {
    if (!isMarked(reply)) {
      reply.value(value.length());
      return null;
    }
    long length = compressor.restoredLength(value);
    if (length < 0 && !passesCorrupt && !CountableValue.is(value)) {
      return compressor.holdsMark(value) ? DAMAGED : FOREIGN;
    }
    if (length > most && !passesCorrupt) {
      return TOO_LONG;
    }
    if (length >= 0 && length <= most && !compressor.hadClientsBit()) {
      reply.flags &= ~flag;
    }
    reply.value((int) (length < 0 || length > most ? value.length() : length));
    return null;
  }

  private Failure unknownDictionary() {
    return Failure.ofServer(
        "dictionary "
            + DictionaryId.label(compressor.dictionary())
            + " of compressed value is not configured");
  }

  private Failure noLibrary() {
    return Failure.ofServer(
        "compressed value needs "
            + compressor.algorithm().name().toLowerCase(Locale.ROOT)
            + ", which this gateway cannot load");
  }
}
