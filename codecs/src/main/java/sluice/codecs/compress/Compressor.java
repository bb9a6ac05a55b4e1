package sluice.codecs.compress;

import io.netty.buffer.ByteBuf;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.Bytes;
import sluice.codecs.buffer.SliceList;

/**
 * Compression and decompression of values in the scratch of one event loop, its only working
 * memory. Results are copied out into buffers of exactly their size. {@link StoredValue} defines
 * the stored form; its content is used only after its checksum has been verified.
 *
 * <p>Owned by one thread. In steady state, it allocates only the resulting buffers.
 */
public final class Compressor implements AutoCloseable {
  /** Result of restoring a stored value. */
  public enum Outcome {
    /** The value is the original one. */
    RESTORED,
    /** The value contains no mark, so no compressor wrote it. */
    FOREIGN,
    /** The value contains a mark, but the bytes after it are not a compressor's output. */
    CORRUPT,
    /** The value claims to be longer than the limit. */
    TOO_LONG,
    /** The value was compressed with a dictionary that is not available. */
    UNKNOWN_DICTIONARY,
    /** The library of the value's algorithm cannot be loaded. */
    NO_LIBRARY
  }

  /** Number of marks that are tried in one value: prepended bytes may form marks, but rarely do. */
  private static final int MOST_MARKS = 8;

  private final Workspace workspace;
  private final Function<Algorithm, BlockCodec> source;
  private final Map<Algorithm, BlockCodec> codecs = new EnumMap<>(Algorithm.class);
  private final Set<Algorithm> missing = EnumSet.noneOf(Algorithm.class);
  private @Nullable DictionaryFrames dictionaryFrames;
  private final CRC32C crc = new CRC32C();
  private final StoredValue view = new StoredValue();
  private long decompressed; // bytes of the last value, until they are taken
  // of the last value that could not be restored
  private int dictionary; // 0 for none
  private Algorithm algorithm = Algorithm.ZSTD;

  /** A compressor for the event loop that the workspace belongs to. */
  public Compressor(Workspace workspace) {
    this(workspace, Algorithm::codec);
  }

  /** The same, with codecs of another source, which throws a LinkageError if there is none. */
  Compressor(Workspace workspace, Function<Algorithm, BlockCodec> source) {
    this.workspace = workspace;
    this.source = source;
  }

  /**
   * Loads an algorithm's library ahead of time, so that the first value does not wait for it.
   *
   * @throws LinkageError if that is not possible here
   */
  public void load(Algorithm algorithm) {
    codec(algorithm);
  }

  private BlockCodec codec(Algorithm algorithm) {
    BlockCodec codec = codecs.get(algorithm);
    if (codec == null) {
      codec = source.apply(algorithm);
      codecs.put(algorithm, codec);
    }
    return codec;
  }

  /** Whether an algorithm's library is there; tries to load it once. */
  private boolean isLoaded(Algorithm algorithm) {
    if (missing.contains(algorithm)) {
      return false;
    }
    try {
      codec(algorithm);
      return true;
    } catch (LinkageError e) {
      missing.add(algorithm);
      return false;
    }
  }

  /**
   * Compresses a value of at most {@link StoredValue#MOST_BYTES}. Borrows it; the caller owns the
   * result.
   *
   * @param dictionaries the first of which is used for Zstandard, if there is one
   * @param clientsBit whether the client's own flags have the bit that marks stored values
   * @param most the longest result that is worth storing, in bytes
   * @return the bytes to store, or null if they would be longer than most
   */
  public @Nullable ByteBuf compress(
      SliceList value,
      Algorithm algorithm,
      Dictionaries dictionaries,
      boolean clientsBit,
      int most) {
    ZstdDictionary dictionary = algorithm == Algorithm.ZSTD ? dictionaries.first() : null;
    BlockCodec codec;
    if (dictionary == null) {
      codec = codec(algorithm);
    } else {
      DictionaryFrames frames = dictionaryFrames();
      frames.compressWith(dictionary);
      codec = frames;
    }
    int plain = value.length();
    int room = codec.bound(plain);
    ByteBuf scratch = workspace.scratch().buffer(Math.addExact(plain, room));
    value.getBytes(0, scratch, 0, plain);
    int compressed = codec.compress(workspace.scratch(), 0, plain, plain, room);
    int head = dictionary == null ? StoredValue.HEAD_LENGTH : StoredValue.DICTIONARY_HEAD_LENGTH;
    int stored = head + compressed;
    if (stored > Math.min(most, StoredValue.MOST_BYTES)) {
      return null;
    }
    ByteBuf out = workspace.allocator().directBuffer(stored, stored);
    int sum = sum(0, plain);
    if (dictionary == null) {
      StoredValue.writeHead(out, algorithm, clientsBit, plain, compressed, sum);
    } else {
      StoredValue.writeHead(out, dictionary, clientsBit, plain, compressed, sum);
    }
    Bytes.append(scratch, plain, compressed, out);
    return out;
  }

  private DictionaryFrames dictionaryFrames() {
    if (dictionaryFrames == null) {
      dictionaryFrames = new DictionaryFrames();
    }
    return dictionaryFrames;
  }

  private int sum(int from, int length) {
    crc.reset();
    crc.update(workspace.scratch().source(from, length));
    return (int) crc.getValue();
  }

  /**
   * Restores the value that clients stored, with everything that was appended and prepended since.
   * The stored bytes are not trusted: once more than {@code most} bytes have been decompressed in
   * vain, no other mark is tried.
   *
   * @param stored empty after {@link Outcome#RESTORED}, unchanged after any other outcome
   * @param dictionaries that it may have been compressed with
   * @param most the longest that compressed bytes may become
   * @param to the queue that the value is appended to
   */
  public Outcome restore(SliceList stored, Dictionaries dictionaries, int most, SliceList to) {
    decompressed = 0;
    try {
      return restoreAny(stored, dictionaries, most, to);
    } catch (RuntimeException | Error e) {
      decompressed = 0; // otherwise they would be taken for the next value
      throw e;
    }
  }

  private Outcome restoreAny(SliceList stored, Dictionaries dictionaries, int most, SliceList to) {
    if (!view.first(stored)) {
      return Outcome.FOREIGN;
    }
    Outcome failed = Outcome.CORRUPT;
    boolean looksCompressed = false;
    int left = MOST_MARKS;
    do {
      if (!view.parse(stored)) {
        continue;
      }
      if (!view.isCompressed()) {
        if (looksCompressed) {
          continue; // a form without a checksum does not outweigh one that may be damaged
        }
        stored.moveTo(to, view.offset());
        stored.skip(StoredValue.MARKED_LENGTH);
        stored.moveTo(to, stored.length());
        return Outcome.RESTORED;
      }
      looksCompressed = true;
      Outcome outcome = restoreCompressed(stored, dictionaries, most, to);
      if (outcome == Outcome.RESTORED) {
        return outcome;
      }
      if (failed == Outcome.CORRUPT) {
        failed = outcome;
        dictionary = view.dictionary();
        algorithm = view.algorithm();
      }
    } while (--left > 0 && decompressed <= most && view.next());
    return failed;
  }

  private Outcome restoreCompressed(
      SliceList stored, Dictionaries dictionaries, int most, SliceList to) {
    int plain = view.plainLength();
    if (plain > most) {
      return Outcome.TOO_LONG;
    }
    // the library made the dictionaries: it is there if any is known
    if (view.dictionary() == 0 && !isLoaded(view.algorithm())) {
      return Outcome.NO_LIBRARY;
    }
    BlockCodec codec = decompressing(dictionaries);
    if (codec == null) {
      return Outcome.UNKNOWN_DICTIONARY;
    }
    int head = view.offset() + view.headLength();
    int compressed = view.compressedLength();
    int room = plain + 1; // one more byte, to detect longer results
    ByteBuf scratch = workspace.scratch().buffer(Math.addExact(compressed, room));
    stored.getBytes(head, scratch, 0, compressed);
    decompressed += plain;
    int length = codec.decompress(workspace.scratch(), 0, compressed, compressed, room);
    if (length != plain || sum(compressed, plain) != view.checksum()) {
      return Outcome.CORRUPT;
    }
    ByteBuf out = workspace.allocator().directBuffer(plain, plain);
    Bytes.append(scratch, compressed, plain, out);
    stored.moveTo(to, view.offset());
    stored.skip(view.headLength() + compressed);
    to.add(out);
    stored.moveTo(to, stored.length());
    return Outcome.RESTORED;
  }

  /**
   * The bytes that the last {@link #restore} has decompressed, also those in vain; 0 if they were
   * taken, or if it threw an exception.
   */
  public long takeDecompressed() {
    long taken = decompressed;
    decompressed = 0;
    return taken;
  }

  /**
   * The length of the value that {@link #restore} would return, according to the first bytes that
   * look like a stored form. They are not trusted, and not decompressed. Borrows stored.
   *
   * @return a negative number if there is no valid head
   */
  public long restoredLength(SliceList stored) {
    boolean found = view.first(stored);
    for (int left = MOST_MARKS; found && !view.parse(stored); found = view.next()) {
      if (--left == 0) {
        return -1;
      }
    }
    if (!found) {
      return -1;
    }
    int around = stored.length() - StoredValue.MARKED_LENGTH;
    return view.isCompressed()
        ? (long) stored.length() - view.headLength() - view.compressedLength() + view.plainLength()
        : around;
  }

  private @Nullable BlockCodec decompressing(Dictionaries dictionaries) {
    if (view.dictionary() == 0) {
      return codec(view.algorithm());
    }
    ZstdDictionary dictionary = dictionaries.withId(view.dictionary());
    if (dictionary == null) {
      return null;
    }
    DictionaryFrames frames = dictionaryFrames();
    frames.decompressWith(dictionary);
    return frames;
  }

  /**
   * The id of the dictionary that was missing in the last {@link #restore} with {@link
   * Outcome#UNKNOWN_DICTIONARY}.
   */
  public int dictionary() {
    return dictionary;
  }

  /** The algorithm that the last {@link #restore} with {@link Outcome#NO_LIBRARY} needed. */
  public Algorithm algorithm() {
    return algorithm;
  }

  /**
   * Whether the client's own flags had the marking bit set, for the value that was restored last.
   */
  public boolean hadClientsBit() {
    return view.hasClientsBit();
  }

  /** Whether the value contains a mark, and therefore cannot be prepended to a compressed one. */
  public boolean holdsMark(SliceList value) {
    return view.isIn(value);
  }

  /** Releases the libraries' resources; the scratch belongs to its owner. */
  @Override
  public void close() {
    codecs.values().forEach(BlockCodec::close);
    codecs.clear();
    if (dictionaryFrames != null) {
      dictionaryFrames.close();
      dictionaryFrames = null;
    }
  }
}
