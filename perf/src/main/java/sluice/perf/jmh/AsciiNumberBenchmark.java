package sluice.perf.jmh;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import sluice.codecs.buffer.AsciiNumber;

/** Decimal numbers of lines, read and written where they lie and by way of strings. */
public class AsciiNumberBenchmark extends CodecBenchmark {
  /** Unsigned, of 64 bits at most. */
  @Param({"7", "1048576", "18446744073709551615"})
  public String number;

  private ByteBuf in;
  private ByteBuf out;
  private long value;

  /** Reads and writes with both. */
  @Setup
  public void setup() {
    in = direct(number);
    out = direct(32);
    value = Long.parseUnsignedLong(number);
    same(read(), value, "the number read");
    same(readString(), value, "the number read by way of a string");
    same(text(write()), number, "the number written");
    same(text(writeString()), number, "the number written by way of a string");
  }

  /** Whether they are digits of 64 bits, and the number. */
  @Benchmark
  public long read() {
    int end = in.writerIndex();
    return AsciiNumber.isUnsigned(in, 0, end) ? AsciiNumber.unsigned(in, 0, end) : -1;
  }

  /** The same of a string. */
  @Benchmark
  public long readString() {
    return Long.parseUnsignedLong(in.toString(US_ASCII));
  }

  /** Its digits. */
  @Benchmark
  public ByteBuf write() {
    AsciiNumber.writeUnsigned(out.clear(), value);
    return out;
  }

  /** The same by a string. */
  @Benchmark
  public ByteBuf writeString() {
    out.clear().writeCharSequence(Long.toUnsignedString(value), US_ASCII);
    return out;
  }
}
