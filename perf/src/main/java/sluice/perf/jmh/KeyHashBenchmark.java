package sluice.perf.jmh;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import sluice.codecs.buffer.KeyHash;

/** The fingerprint by which a reply is known to name the key that was asked for. */
public class KeyHashBenchmark extends CodecBenchmark {
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  /** Bytes of the key. */
  @Param({"7", "40", "250"})
  public int length;

  private ByteBuf key;

  /** Compares with the same sum over an array. */
  @Setup
  public void setup() {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    key = direct(bytes);
    same(sluice(), expected(bytes), "the fingerprint");
    same(array(), Arrays.hashCode(bytes), "the array's hash");
  }

  private static long expected(byte[] key) {
    ByteBuffer words = ByteBuffer.wrap(key).order(ByteOrder.LITTLE_ENDIAN);
    long hash = key.length * MULTIPLIER;
    while (words.remaining() >= Long.BYTES) {
      hash = mixed(hash ^ words.getLong());
    }
    long rest = 0;
    while (words.hasRemaining()) {
      rest = rest << 8 | (words.get() & 0xFF);
    }
    return mixed(hash ^ rest);
  }

  private static long mixed(long value) {
    long product = value * MULTIPLIER;
    return product ^ (product >>> 29);
  }

  /** Ours: 64 bits. */
  @Benchmark
  public long sluice() {
    return KeyHash.of(key, 0, key.writerIndex());
  }

  /** An array of the key, and its hash of 32 bits. */
  @Benchmark
  public int array() {
    byte[] bytes = new byte[key.writerIndex()];
    key.getBytes(0, bytes);
    return Arrays.hashCode(bytes);
  }
}
