package sluice.perf.ignite;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import org.apache.ignite.internal.direct.DirectMessageWriter;
import org.apache.ignite.plugin.extensions.communication.MessageCollectionItemType;
import org.apache.ignite.plugin.extensions.communication.MessageFactory;
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
import sluice.codecs.compress.Scratch;
import sluice.codecs.ignite.CompressedFieldWriter;
import sluice.codecs.ignite.MessageFields;

/**
 * A map of integers to strings as a compressed field. Ignite's side takes the steps of before
 * IGNITE-28836, which no released jar has: a direct buffer and a writer (2.18.0's own) for each
 * field, and the arrays that they are copied through; but one deflater for all, as ours.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(
    value = 2,
    jvmArgsAppend = {
      "-Djmh.executor=CUSTOM",
      "-Djmh.executor.class=sluice.perf.ignite.LoopThreads"
    })
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
public class CompressedFieldBenchmark {
  private static final short TYPE = 5000;
  private static final int FIRST_CAPACITY = 10 * 1024;
  private static final int CHUNK = 10 * 1024;

  @Param({"30", "500"})
  public int entries;

  private final Map<Integer, String> map = new LinkedHashMap<>();

  private final MessageFactory factory = Messages.factory();
  private final DirectMessageWriter outer = new DirectMessageWriter(factory);
  private final ByteBuffer nio = ByteBuffer.allocateDirect(64 * 1024);
  private final Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);

  private final Scratch scratch = new Scratch(ByteBufAllocator.DEFAULT);
  private final CompressedFieldWriter fields =
      new CompressedFieldWriter(TYPE, Deflater.BEST_SPEED, scratch);
  private final ByteBuf out = ByteBufAllocator.DEFAULT.directBuffer(64 * 1024);

  /** Writes with both and compares the bytes. */
  @Setup
  public void setup() throws IOException {
    for (int i = 0; i < entries; i++) {
      map.put(i, "value-" + i + "-abcdefgh");
    }
    ByteBuffer theirs = freshBufferAndWriter().duplicate().flip();
    byte[] expected = new byte[theirs.remaining()];
    theirs.get(expected);
    if (!Arrays.equals(expected, ByteBufUtil.getBytes(scratchOfTheLoop()))) {
      throw new IllegalStateException("the two disagree");
    }
  }

  /** Gives native memory back. */
  @TearDown
  public void tearDown() {
    deflater.end();
    fields.close();
    scratch.release();
    out.release();
  }

  /** As before IGNITE-28836. */
  @Benchmark
  public ByteBuffer freshBufferAndWriter() throws IOException {
    ByteBuffer raw = ByteBuffer.allocateDirect(FIRST_CAPACITY);
    DirectMessageWriter writer = new DirectMessageWriter(factory);
    writer.setBuffer(raw);
    while (!writer.writeMap(map, MessageCollectionItemType.INT, MessageCollectionItemType.STRING)) {
      raw = doubled(raw);
      writer.setBuffer(raw);
    }
    if (raw.remaining() < raw.capacity() / 10) {
      raw = doubled(raw);
    }
    raw.flip();
    byte[] data = new byte[raw.remaining()];
    raw.get(data);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(data.length);
    deflater.reset();
    try (DeflaterOutputStream stream = new DeflaterOutputStream(bytes, deflater)) {
      stream.write(data);
    }
    byte[] compressed = bytes.toByteArray();
    nio.clear();
    outer.reset();
    outer.setBuffer(nio);
    outer.writeHeader(TYPE);
    outer.writeInt(data.length);
    for (int at = 0; at < compressed.length; at += CHUNK) {
      outer.writeBoolean(false);
      outer.writeByteArray(
          Arrays.copyOfRange(compressed, at, Math.min(compressed.length, at + CHUNK)));
    }
    outer.writeBoolean(true);
    return nio;
  }

  private static ByteBuffer doubled(ByteBuffer full) {
    return ByteBuffer.allocateDirect(2 * full.capacity()).put(full.flip());
  }

  /** Ours. */
  @Benchmark
  public ByteBuf scratchOfTheLoop() {
    int room = MessageFields.MAX_INT_LENGTH;
    for (String value : map.values()) {
      room += MessageFields.MAX_INT_LENGTH + MessageFields.maxLength(value);
    }
    MessageFields raw = fields.begin(room).int32(map.size());
    for (Map.Entry<Integer, String> entry : map.entrySet()) {
      raw.int32(entry.getKey()).string(entry.getValue());
    }
    fields.end(out.clear());
    return out;
  }
}
