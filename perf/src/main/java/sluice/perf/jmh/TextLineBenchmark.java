package sluice.perf.jmh;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
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
import sluice.codecs.buffer.AsciiNumber;
import sluice.codecs.memcached.text.TextLine;

/** A storage line's numbers, read where they lie and by way of strings. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class TextLineBenchmark {
  /** The length of the key in bytes. */
  @Param({"16", "64", "250"})
  public int keyLength;

  private final TextLine view = new TextLine();
  private ByteBuf line;

  /** Encodes the line and compares what both ways read from it. */
  @Setup
  public void setup() {
    String text = "set " + "k".repeat(keyLength) + " 4294967295 86400 1048576";
    line = Unpooled.directBuffer().writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
    if (view() != split()) {
      throw new IllegalStateException("the two disagree on: " + text);
    }
  }

  /** Gives the line back. */
  @TearDown
  public void tearDown() {
    line.release();
  }

  /** Tokens as positions, numbers from their digits. */
  @Benchmark
  public long view() {
    view.wrap(line, line.readerIndex(), line.writerIndex());
    long sum = view.count();
    for (int token = 2; token < view.count(); token++) {
      int start = view.start(token);
      int end = view.end(token);
      if (!AsciiNumber.isUnsigned(line, start, end)) {
        return -1;
      }
      sum += AsciiNumber.unsigned(line, start, end);
    }
    return sum;
  }

  /** The line as a string, its parts as strings. */
  @Benchmark
  public long split() {
    String[] tokens = line.toString(StandardCharsets.ISO_8859_1).split(" ", -1);
    long sum = tokens.length;
    for (int token = 2; token < tokens.length; token++) {
      sum += Long.parseUnsignedLong(tokens[token]);
    }
    return sum;
  }
}
