package sluice.codecs.compress;

import io.netty.buffer.ByteBuf;
import java.util.EnumMap;
import java.util.Map;
import java.util.zip.CRC32C;
import sluice.codecs.buffer.ByteQueue;
import sluice.codecs.buffer.Bytes;

/**
 * Makes values smaller, and what they were again, in the scratch of one event loop: it is all the
 * memory that is worked in. What leaves is copied out of it, into a buffer of just its size. The
 * stored form is {@link StoredValue}'s; nothing in it is believed before its checksum was right.
 *
 * <p>Owned by one thread. Allocates nothing in steady state but the buffers that leave.
 */
public final class Compressor implements AutoCloseable {
  /** What became of a stored value. */
  public enum Outcome {
    /** It is what it was before. */
    RESTORED,
    /** It holds no mark, so no compressor wrote it. */
    FOREIGN,
    /** It holds one, and something else than a compressor writes behind it. */
    CORRUPT,
    /** It says that it is longer than it may become. */
    TOO_LONG
  }

  private final Workspace workspace;
  private final Map<Algorithm, BlockCodec> codecs = new EnumMap<>(Algorithm.class);
  private final CRC32C crc = new CRC32C();
  private final StoredValue view = new StoredValue();

  /** For the values of the loop that the workspace belongs to. */
  public Compressor(Workspace workspace) {
    this.workspace = workspace;
  }

  /** Gets ready what an algorithm needs, so that the first value need not wait for its library. */
  public void load(Algorithm algorithm) {
    codec(algorithm);
  }

  private BlockCodec codec(Algorithm algorithm) {
    BlockCodec codec = codecs.get(algorithm);
    if (codec == null) {
      codec = algorithm.codec();
      codecs.put(algorithm, codec);
    }
    return codec;
  }

  /**
   * Compresses a value, of at most {@link StoredValue#MOST_BYTES}. Borrows it; the caller owns the
   * result.
   *
   * @param clientsBit whether the client's own flags have the bit that marks stored values
   * @param most bytes that are worth storing
   * @return what to store, or null if that is more
   */
  public ByteBuf compress(ByteQueue value, Algorithm algorithm, boolean clientsBit, int most) {
    BlockCodec codec = codec(algorithm);
    int plain = value.length();
    int room = codec.bound(plain);
    ByteBuf scratch = workspace.scratch().buffer(Math.addExact(plain, room));
    value.getBytes(0, scratch, 0, plain);
    int compressed = codec.compress(workspace.scratch(), 0, plain, plain, room);
    int stored = StoredValue.HEAD_LENGTH + compressed;
    if (stored > Math.min(most, StoredValue.MOST_BYTES)) {
      return null;
    }
    ByteBuf out = workspace.allocator().directBuffer(stored, stored);
    StoredValue.writeHead(out, algorithm, clientsBit, plain, compressed, sum(0, plain));
    Bytes.append(scratch, plain, compressed, out);
    return out;
  }

  private int sum(int from, int length) {
    crc.reset();
    crc.update(workspace.scratch().source(from, length));
    return (int) crc.getValue();
  }

  /**
   * Makes of what a server stored the value that clients have stored, with all that was appended
   * and prepended since. Anything may have been stored.
   *
   * @param stored is empty after {@link Outcome#RESTORED}, and as it was after all others
   * @param most bytes that compressed ones may become
   * @param to what the value is appended to
   */
  public Outcome restore(ByteQueue stored, int most, ByteQueue to) {
    if (!view.parse(stored)) {
      return view.isIn(stored) ? Outcome.CORRUPT : Outcome.FOREIGN;
    }
    if (!view.isCompressed()) {
      stored.moveTo(to, view.offset());
      stored.skip(StoredValue.MARKED_LENGTH);
      stored.moveTo(to, stored.length());
      return Outcome.RESTORED;
    }
    int plain = view.plainLength();
    if (plain > most) {
      return Outcome.TOO_LONG;
    }
    int head = view.offset() + StoredValue.HEAD_LENGTH;
    int compressed = view.compressedLength();
    int room = plain + 1; // one more, to see that there are more
    ByteBuf scratch = workspace.scratch().buffer(Math.addExact(compressed, room));
    stored.getBytes(head, scratch, 0, compressed);
    int length =
        codec(view.algorithm()).decompress(workspace.scratch(), 0, compressed, compressed, room);
    if (length != plain || sum(compressed, plain) != view.checksum()) {
      return Outcome.CORRUPT;
    }
    ByteBuf out = workspace.allocator().directBuffer(plain, plain);
    Bytes.append(scratch, compressed, plain, out);
    stored.moveTo(to, view.offset());
    stored.skip(StoredValue.HEAD_LENGTH + compressed);
    to.attach(out);
    stored.moveTo(to, stored.length());
    return Outcome.RESTORED;
  }

  /**
   * Whether the value restored last came from a client whose own flags have the bit that marks
   * stored values.
   */
  public boolean hadClientsBit() {
    return view.hasClientsBit();
  }

  /** Whether the value holds what marks stored values, and so cannot be prepended to one. */
  public boolean holdsMark(ByteQueue value) {
    return view.isIn(value);
  }

  /** Gives back what the libraries keep; the scratch is its owner's. */
  @Override
  public void close() {
    codecs.values().forEach(BlockCodec::close);
    codecs.clear();
  }
}
