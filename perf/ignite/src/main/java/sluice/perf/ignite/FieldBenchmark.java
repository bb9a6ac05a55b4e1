package sluice.perf.ignite;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.apache.ignite.internal.direct.DirectMessageWriter;
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
import sluice.codecs.ignite.MessageFields;

/**
 * Thirteen fields, one of each kind, into a direct buffer that is used again: Ignite 2.18.0's
 * {@code DirectMessageWriter}, which looks up its stream with each field, and ours, which asks its
 * buffer once for all.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
    value = 2,
    jvmArgsAppend = {
      "-Djmh.executor=CUSTOM",
      "-Djmh.executor.class=sluice.perf.ignite.LoopThreads"
    })
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
public class FieldBenchmark {
  private static final short TYPE = 1000;
  private static final int ROOM = 128;

  /** Numbers as messages have them, or each of the length that costs most. */
  @Param({"false", "true"})
  public boolean large;

  private int number;
  private long big;

  private final DirectMessageWriter theirs = new DirectMessageWriter(Messages.factory());
  private final ByteBuffer nio = ByteBuffer.allocateDirect(ROOM);
  private final MessageFields ours = new MessageFields();
  private final ByteBuf out = ByteBufAllocator.DEFAULT.directBuffer(ROOM);

  /** Writes with both and compares the bytes. */
  @Setup
  public void setup() {
    number = large ? Integer.MAX_VALUE : 42;
    big = large ? Long.MAX_VALUE : 1_000;
    if (!Unpooled.wrappedBuffer(ignite().duplicate().flip()).equals(sluice())) {
      throw new IllegalStateException("the two disagree");
    }
  }

  /** Gives the buffer back. */
  @TearDown
  public void tearDown() {
    out.release();
  }

  /** Ignite's own. */
  @Benchmark
  public ByteBuffer ignite() {
    nio.clear();
    theirs.reset();
    theirs.setBuffer(nio);
    boolean whole =
        theirs.writeHeader(TYPE)
            && theirs.writeByte((byte) 7)
            && theirs.writeShort((short) -2)
            && theirs.writeInt(number)
            && theirs.writeInt(number - 1)
            && theirs.writeLong(big)
            && theirs.writeFloat(1.5f)
            && theirs.writeDouble(2.5)
            && theirs.writeBoolean(true)
            && theirs.writeChar('x')
            && theirs.writeInt(-1)
            && theirs.writeInt(0)
            && theirs.writeLong(-1);
    if (!whole) {
      throw new IllegalStateException("the buffer is full");
    }
    return nio;
  }

  /** Ours. */
  @Benchmark
  public ByteBuf sluice() {
    ours.into(out.clear(), ROOM)
        .type(TYPE)
        .int8(7)
        .int16(-2)
        .int32(number)
        .int32(number - 1)
        .int64(big)
        .float32(1.5f)
        .float64(2.5)
        .bool(true)
        .int16('x')
        .int32(-1)
        .int32(0)
        .int64(-1)
        .done();
    return out;
  }
}
