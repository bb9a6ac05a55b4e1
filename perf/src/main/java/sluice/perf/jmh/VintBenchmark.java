package sluice.perf.jmh;

import io.netty.buffer.ByteBuf;
import java.math.BigInteger;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import sluice.codecs.internode.Vint;

/** Cassandra's integers of variable length, beside a byte at a time. */
public class VintBenchmark extends CodecBenchmark {
  /** Bytes that the number takes. */
  @Param({"1", "3", "5", "9"})
  public int length;

  private long value;
  private ByteBuf in;
  private ByteBuf out;

  /** Compares both with the bits as the format says they are. */
  @Setup
  public void setup() {
    value = length == Vint.MAX_LENGTH ? -2 : (1L << (7 * length)) - 2;
    BigInteger bits = new BigInteger(Long.toUnsignedString(value));
    for (int one = 0;
        one < length - 1;
        one++) { // from the first bit on, one for each byte that follows
      bits = bits.setBit(8 * length - 1 - one);
    }
    byte[] expected = new byte[length];
    for (int i = 0; i < length; i++) {
      expected[i] = bits.shiftRight(8 * (length - 1 - i)).byteValue();
    }
    in = direct(16).writeBytes(expected);
    out = direct(16);
    sameBytes(write(), in, "the bytes");
    sameBytes(writeBytes(), in, "the bytes, one at a time");
    same(read(), value, "the number");
    same(readBytes(), value, "the number, a byte at a time");
  }

  /** Ours. */
  @Benchmark
  public long read() {
    return Vint.get(in, 0);
  }

  /** A byte at a time. */
  @Benchmark
  public long readBytes() {
    int first = in.getByte(0);
    int more = Math.min(8, Integer.numberOfLeadingZeros(~first << 24));
    int high = more >= 7 ? 0 : first & (0x7F >>> more);
    long number = high;
    for (int i = 1; i <= more; i++) {
      number = number << 8 | in.getUnsignedByte(i);
    }
    return number;
  }

  /** Ours. */
  @Benchmark
  public ByteBuf write() {
    Vint.write(out.clear(), value);
    return out;
  }

  /** A byte at a time. */
  @Benchmark
  public ByteBuf writeBytes() {
    out.clear();
    int more = 0;
    while (more < 8 && value >>> (7 * (more + 1)) != 0) {
      more++;
    }
    int ones = (0xFF << (8 - more)) & 0xFF;
    out.writeByte(more == 8 ? ones : ones | (int) (value >>> (8 * more)));
    for (int i = more - 1; i >= 0; i--) {
      out.writeByte((int) (value >>> (8 * i)));
    }
    return out;
  }
}
