package sluice.perf.jmh;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Random;
import java.util.zip.CRC32C;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.buffer.Slices;
import sluice.codecs.split.ChunkKeys;
import sluice.codecs.split.ChunkSum;
import sluice.codecs.split.SplitHead;

/** Values in chunks: the head that stands in their place, their chunks' keys and checksums. */
public class SplitValueBenchmark extends CodecBenchmark {
  private static final String KEY = "user:1234567890";
  private static final int VALUE_LENGTH = 5_000_000;
  private static final long STAMP = 0x0123_4567_89AB_CDEFL;

  /** Bytes of a chunk; also how much was prepended to the value since, in front of its head. */
  @Param({"1024", "921600"})
  public int chunkLength;

  private final Slices slices = new Slices();
  private final SplitHead head = new SplitHead();
  private final ChunkSum sum = new ChunkSum();
  private final SliceList in = new SliceList(slices);
  private ChunkKeys keys;
  private ByteBuf out;
  private ByteBuf chunk;
  private ByteBuf stored;
  private int number;

  /** Compares with what java.nio, java.util and java.util.zip make of the same. */
  @Setup
  public void setup() {
    byte[] some = new byte[chunkLength];
    new Random(chunkLength).nextBytes(some);
    for (int i = 0; i < some.length; i++) {
      some[i] &= 0x7F; // no mark is in it by chance
    }
    chunk = direct(some);
    out = direct(SplitHead.LENGTH);
    ByteBuffer expected =
        ByteBuffer.allocate(SplitHead.LENGTH)
            .putInt(0xF853_4C7B)
            .put((byte) 1)
            .putInt(VALUE_LENGTH)
            .putInt(chunkLength)
            .putLong(STAMP);
    CRC32C crc = new CRC32C();
    crc.update(expected.array(), 0, expected.position());
    expected.putInt((int) crc.getValue());
    sameBytes(writeHead(), direct(expected.array()), "the head");
    stored = direct(chunkLength + SplitHead.LENGTH).writeBytes(some).writeBytes(expected.array());
    same(findHead(), STAMP + VALUE_LENGTH + chunkLength, "the head found");
    crc.reset();
    crc.update(some);
    same(sum(), (int) crc.getValue(), "the chunk's checksum");
    ByteBuf key = direct(KEY);
    keys = new ChunkKeys(key, 0, key.writerIndex(), STAMP);
    number = 1233;
    byte[] stamp = ByteBuffer.allocate(Long.BYTES).putLong(0, STAMP).array();
    same(
        text(key()),
        KEY + ":split:1234:" + Base64.getUrlEncoder().withoutPadding().encodeToString(stamp),
        "the chunk's key");
  }

  /** The head. */
  @Benchmark
  public ByteBuf writeHead() {
    head.write(out.clear(), false, VALUE_LENGTH, chunkLength, STAMP);
    return out;
  }

  /** The head, behind what was prepended. */
  @Benchmark
  public long findHead() {
    in.add(slices.take(stored, 0, stored.readableBytes()));
    boolean found = head.find(in);
    in.clear();
    return found ? head.stamp() + head.valueLength() + head.chunkLength() : -1;
  }

  /** The checksum of a chunk. */
  @Benchmark
  public int sum() {
    sum.reset().add(chunk);
    return sum.sum();
  }

  /** The key of the next chunk. */
  @Benchmark
  public ByteBuf key() {
    number = (number + 1) % 10_000;
    return keys.of(number);
  }
}
