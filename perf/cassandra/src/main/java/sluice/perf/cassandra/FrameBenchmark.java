package sluice.perf.cassandra;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.cassandra.net.CassandraCodec;
import org.apache.cassandra.net.ShareableBytes;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import sluice.codecs.buffer.ByteSink;
import sluice.codecs.buffer.Bytes;
import sluice.codecs.internode.FrameCodec;
import sluice.codecs.internode.Framing;

/**
 * Frames: written from plain bytes that were copied into a new buffer, and read from one, as from a
 * socket. Both sides' buffers come from their pool and go back to it.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class FrameBenchmark implements ByteSink {
  /** How frames are protected. */
  @Param({"CRC", "LZ4"})
  public Framing framing;

  /**
   * Plain bytes. The largest is the largest whose frame fits into one of the 128 KiB chunks of
   * Cassandra's pool, beyond which it allocates.
   */
  @Param({"100", "4096", "131060"})
  public int size;

  private CassandraCodec cassandra;
  private ByteBuffer plainNio;
  private ByteBuffer frameNio;
  private FrameCodec codec;
  private ByteBuf plain;
  private ByteBuf frame;
  private ByteBuf written; // null: what leaves is released
  private long leftBytes;

  /** Makes a frame of each side, and compares them and what both read from it. */
  @Setup
  public void setup() {
    cassandra = new CassandraCodec(framing);
    codec = new FrameCodec(framing, this);
    byte[] bytes = text(size);
    plainNio = ByteBuffer.allocateDirect(size).put(bytes).flip();
    plain = ByteBufAllocator.DEFAULT.directBuffer(size).writeBytes(bytes);
    ByteBuf theirs = cassandra.encode(plainNio);
    frame = ByteBufAllocator.DEFAULT.directBuffer(theirs.readableBytes()).writeBytes(theirs);
    theirs.release();
    frameNio = ByteBuffer.allocateDirect(frame.readableBytes());
    frame.getBytes(0, frameNio);
    frameNio.flip();
    written = Unpooled.buffer();
    encode();
    require(written.equals(frame), "other frames");
    written.clear();
    decode();
    codec.copyTo(written);
    require(written.equals(plain), "other plain bytes");
    written = null;
    ShareableBytes decoded = cassandra.decode(frameNio);
    require(decoded.get().equals(plainNio), "Cassandra reads other plain bytes");
    decoded.release();
  }

  /** Words that compress to about half. */
  private static byte[] text(int size) {
    Random random = new Random(42);
    StringBuilder text = new StringBuilder();
    while (text.length() < size) {
      text.append("column").append(random.nextInt(100_000)).append("=value;");
    }
    return text.substring(0, size).getBytes(StandardCharsets.US_ASCII);
  }

  private static void require(boolean condition, String difference) {
    if (!condition) {
      throw new IllegalStateException("the two disagree: " + difference);
    }
  }

  @Override
  public void accept(ByteBuf bytes) {
    leftBytes += bytes.readableBytes();
    if (written != null) {
      written.writeBytes(bytes);
    }
    bytes.release();
  }

  /** Gives the buffers back. */
  @TearDown
  public void tearDown() {
    plain.release();
    frame.release();
    codec.close();
  }

  private static ByteBuf copy(ByteBuf bytes, int length) {
    ByteBuf copy = ByteBufAllocator.DEFAULT.directBuffer(length);
    Bytes.append(bytes, 0, length, copy);
    return copy;
  }

  /** Header, payload, CRC32. */
  @Benchmark
  public long encode() {
    codec.encode(copy(plain, size));
    return leftBytes;
  }

  /** The same in Cassandra: {@code FrameEncoderCrc} and {@code FrameEncoderLZ4}. */
  @Benchmark
  public int cassandraEncode() {
    ByteBuf encoded = cassandra.encode(plainNio);
    int length = encoded.readableBytes();
    encoded.release();
    return length;
  }

  /** To plain bytes, both checksums checked. */
  @Benchmark
  public int decode() {
    int length = frame.readableBytes();
    return codec.decode(copy(frame, length));
  }

  /** The same in Cassandra: {@code FrameDecoderCrc} and {@code FrameDecoderLZ4}. */
  @Benchmark
  public int cassandraDecode() {
    ShareableBytes decoded = cassandra.decode(frameNio);
    int length = decoded.get().remaining();
    decoded.release();
    return length;
  }
}
