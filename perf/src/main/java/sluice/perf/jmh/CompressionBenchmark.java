package sluice.perf.jmh;

import com.github.luben.zstd.Zstd;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import java.util.zip.CRC32C;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import net.jpountz.lz4.LZ4Factory;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.compress.Algorithm;
import sluice.codecs.compress.Compressor;
import sluice.codecs.compress.Dictionaries;
import sluice.codecs.compress.StoredValue;
import sluice.codecs.compress.Workspace;

/**
 * Values compressed to what servers store, with its mark, lengths and checksum, and restored; and a
 * value looked through that holds no mark. Beside it the libraries as they are used on arrays.
 */
public class CompressionBenchmark extends CodecBenchmark {
  /** With what. */
  @Param({"ZSTD", "LZ4", "DEFLATE"})
  public Algorithm algorithm;

  /** Bytes of the value, which is records as text. */
  @Param({"1024", "65536"})
  public int length;

  private final Workspace workspace = Workspace.of(allocator);
  private final Compressor compressor = new Compressor(workspace);
  private final SliceList in = new SliceList(workspace.slices());
  private final SliceList out = new SliceList(workspace.slices());
  private ByteBuf plain;
  private ByteBuf stored;
  private byte[] packed;

  /** Lets each library, on arrays, restore what was compressed. */
  @Setup
  public void setup() throws DataFormatException {
    StringBuilder text = new StringBuilder();
    Random random = new Random(length);
    while (text.length() < length) {
      text.append("{\"id\":")
          .append(random.nextInt(1_000_000))
          .append(",\"name\":\"some words\"},");
    }
    byte[] value = bytes(text.substring(0, length));
    plain = direct(value);
    attach(plain);
    stored =
        kept(
            Objects.requireNonNull(
                compressor.compress(in, algorithm, Dictionaries.NONE, false, length)));
    in.clear();
    packed = new byte[stored.readableBytes() - StoredValue.HEAD_LENGTH];
    stored.getBytes(StoredValue.HEAD_LENGTH, packed);
    same(stored.getUnsignedMedium(5), length, "the value's length in the head");
    same(stored.getUnsignedMedium(8), packed.length, "the compressed length in the head");
    CRC32C crc = new CRC32C();
    crc.update(value);
    same(stored.getInt(11), (int) crc.getValue(), "the checksum in the head");
    same(Arrays.equals(restoreArrays(), value), true, "what the library makes of it");
    byte[] ours = packed;
    packed = compressArrays();
    same(Arrays.equals(restoreArrays(), value), true, "what was compressed on arrays");
    packed = ours;
    attach(stored);
    same(
        compressor.restore(in, Dictionaries.NONE, length, out),
        Compressor.Outcome.RESTORED,
        "what became of it");
    same(Arrays.equals(flat(out), value), true, "the value restored");
    out.clear();
    same(passPlain(), length, "the value without a mark");
    same(compress(), stored.readableBytes(), "bytes compressed again");
  }

  private static byte[] flat(SliceList queue) {
    byte[] bytes = new byte[queue.length()];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = queue.getByte(i);
    }
    return bytes;
  }

  /** Releases what the libraries keep, too. */
  @TearDown
  public void close() {
    compressor.close();
    workspace.scratch().release();
  }

  private void attach(ByteBuf value) {
    in.add(workspace.slices().take(value, 0, value.readableBytes()));
  }

  /** Ours: what a server stores. */
  @Benchmark
  @SuppressWarnings("NullAway") // the setup has seen that it becomes shorter
  public int compress() {
    attach(plain);
    ByteBuf made = compressor.compress(in, algorithm, Dictionaries.NONE, false, length);
    in.clear();
    int bytes = made.readableBytes();
    made.release();
    return bytes;
  }

  /** Ours: what it was before. */
  @Benchmark
  public int restore() {
    attach(stored);
    compressor.restore(in, Dictionaries.NONE, length, out);
    int bytes = out.length();
    out.clear();
    return bytes;
  }

  /** Ours: a value that is not compressed, gone through for the mark. */
  @Benchmark
  public int passPlain() {
    attach(plain);
    boolean foreign =
        compressor.restore(in, Dictionaries.NONE, length, out) == Compressor.Outcome.FOREIGN;
    int bytes = in.length();
    in.clear();
    return foreign ? bytes : -1;
  }

  /** The library, from an array to an array, without mark and checksum. */
  @Benchmark
  public byte[] compressArrays() {
    byte[] value = new byte[length];
    plain.getBytes(0, value);
    return switch (algorithm) {
      case ZSTD -> Zstd.compress(value, 1);
      case LZ4 -> LZ4Factory.fastestInstance().fastCompressor().compress(value);
      case DEFLATE -> {
        Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);
        deflater.setInput(value);
        deflater.finish();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] some = new byte[8192];
        while (!deflater.finished()) {
          bytes.write(some, 0, deflater.deflate(some));
        }
        deflater.end();
        yield bytes.toByteArray();
      }
    };
  }

  /** The library, from an array to an array. */
  @Benchmark
  public byte[] restoreArrays() throws DataFormatException {
    byte[] value = new byte[length];
    switch (algorithm) {
      case ZSTD -> Zstd.decompress(value, packed);
      case LZ4 -> LZ4Factory.fastestInstance().safeDecompressor().decompress(packed, value);
      case DEFLATE -> {
        Inflater inflater = new Inflater(true);
        inflater.setInput(packed);
        inflater.inflate(value);
        inflater.end();
      }
    }
    return value;
  }
}
