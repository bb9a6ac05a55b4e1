package sluice.perf.jmh;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What the benchmarks of codecs share: how they are timed, buffers that live as long as a trial
 * does, and the comparisons before it. Each measured method makes anew what it uses up, and returns
 * what it has found.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
    value = 1,
    jvmArgsAppend = {
      "-Djmh.executor=CUSTOM",
      "-Djmh.executor.class=sluice.perf.jmh.LoopThreads",
      "-Dio.netty.leakDetection.level=disabled",
      "-Dio.netty.allocator.lowMemory=false"
    })
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public abstract class CodecBenchmark {
  final ByteBufAllocator allocator = ByteBufAllocator.DEFAULT;
  private final List<ByteBuf> kept = new ArrayList<>();

  /** Releases every buffer that was asked for. */
  @TearDown
  public void release() {
    kept.forEach(ByteBuf::release);
    kept.clear();
  }

  /** An empty buffer as sockets are read into, borrowed until the trial ends. */
  final ByteBuf direct(int capacity) {
    return kept(allocator.directBuffer(capacity));
  }

  /** Keeps a buffer until the trial ends. Consumes it, and returns it borrowed. */
  final ByteBuf kept(ByteBuf buffer) {
    kept.add(buffer);
    return buffer;
  }

  /** The same with bytes in it. */
  final ByteBuf direct(byte[] bytes) {
    return direct(bytes.length).writeBytes(bytes);
  }

  /** The same with text in it, a byte for each character. */
  final ByteBuf direct(String text) {
    return direct(bytes(text));
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** All that is readable, a character for each byte. */
  static String text(ByteBuf buffer) {
    return buffer.toString(StandardCharsets.ISO_8859_1);
  }

  /** Stops the trial before anything is timed, if the two are not the same. */
  static void same(Object found, Object expected, String what) {
    if (!found.equals(expected)) {
      throw new IllegalStateException(what + ": found " + found + ", expected " + expected);
    }
  }

  /** As {@link #same} of the readable bytes, without writing out what they are. */
  static void sameBytes(ByteBuf found, ByteBuf expected, String what) {
    if (!found.equals(expected)) {
      throw new IllegalStateException(what + ": other bytes came out than expected");
    }
  }
}
