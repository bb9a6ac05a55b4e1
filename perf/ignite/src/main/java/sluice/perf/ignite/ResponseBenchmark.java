package sluice.perf.ignite;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.ignite.IgniteCheckedException;
import org.apache.ignite.internal.processors.rest.protocols.tcp.GridMemcachedMessage;
import org.apache.ignite.internal.processors.rest.protocols.tcp.GridTcpRestParser;
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
import org.openjdk.jmh.infra.Blackhole;
import sluice.codecs.buffer.ByteSink;
import sluice.codecs.buffer.Slices;
import sluice.codecs.ignite.ResponseEncoder;

/**
 * Responses to a getk: from Java objects, as Ignite 2.18.0's {@code GridTcpRestParser} encodes them
 * (the code before IGNITE-28847), and from the bytes of a server's reply, as the gateway passes
 * them on. Ignite's parser changes the message that it encodes, so it is given key and value anew.
 * The time of Sluice includes the release of what it made.
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
public class ResponseBenchmark {
  private static final int GETK = 0x0c;
  private static final int OPAQUE = 7;
  private static final String KEY = "key-1";

  /** What the answer's value is. */
  public enum Payload {
    STR_64,
    STR_1K,
    BYTES_8K,
    OBJ_MAP;

    Object value() {
      return switch (this) {
        case STR_64 -> letters(64);
        case STR_1K -> letters(1024);
        case BYTES_8K -> bytes();
        case OBJ_MAP -> map();
      };
    }

    private static String letters(int length) {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < length; i++) {
        text.append((char) ('a' + i % 26));
      }
      return text.toString();
    }

    private static byte[] bytes() {
      byte[] bytes = new byte[8192];
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = (byte) (i * 31 + 7);
      }
      return bytes;
    }

    private static Map<String, Integer> map() {
      Map<String, Integer> map = new HashMap<>();
      for (int i = 0; i < 16; i++) {
        map.put("key-" + i, i);
      }
      return map;
    }
  }

  @Param public Payload payload;

  private Object value;

  private final GridTcpRestParser parser = new GridTcpRestParser(false);
  private GridMemcachedMessage theirs;

  private final ResponseEncoder encoder = new ResponseEncoder();
  private final ByteBufAllocator allocator = ByteBufAllocator.DEFAULT;
  private final Slices slices = new Slices();
  private ByteBuf keyBytes;
  private ByteBuf valueBytes;
  private int flags;
  private Blackhole blackhole;
  private final ByteSink releasing =
      slice -> {
        blackhole.consume(slice);
        slice.release();
      };

  /** Encodes each payload in all ways and compares the bytes. */
  @Setup
  public void setup(Blackhole sink) throws Exception {
    blackhole = sink;
    value = payload.value();
    Constructor<GridMemcachedMessage> constructor =
        GridMemcachedMessage.class.getDeclaredConstructor();
    constructor.setAccessible(true);
    theirs = constructor.newInstance();
    theirs.operationCode((byte) GETK);
    theirs.status(0);
    theirs.opaque(new byte[] {0, 0, 0, OPAQUE});
    ByteBuffer packet = ignite();
    byte[] expected = new byte[packet.remaining()];
    packet.duplicate().get(expected);
    int start = expected.length - valueLength(expected);
    keyBytes = allocator.directBuffer().writeBytes(expected, 28, start - 28);
    valueBytes = allocator.directBuffer().writeBytes(expected, start, expected.length - start);
    flags = ByteBuffer.wrap(expected).getInt(24);
    ByteBuf all = Unpooled.buffer();
    ByteSink sinkOfAll = appending(all);
    forward(sinkOfAll);
    require(all, expected);
  }

  private static int valueLength(byte[] packet) {
    return ByteBuffer.wrap(packet).getInt(8) - 4 - ByteBuffer.wrap(packet).getShort(2);
  }

  private static ByteSink appending(ByteBuf all) {
    return slice -> {
      all.writeBytes(slice);
      slice.release();
    };
  }

  private static void require(ByteBuf all, byte[] expected) {
    require(Arrays.equals(ByteBufUtil.getBytes(all), expected));
  }

  private static void require(boolean condition) {
    if (!condition) {
      throw new IllegalStateException("the two disagree");
    }
  }

  /** Gives the buffers back. */
  @TearDown
  public void tearDown() {
    keyBytes.release();
    valueBytes.release();
  }

  /** Ignite's own, from Java's objects. */
  @Benchmark
  public ByteBuffer ignite() throws IgniteCheckedException {
    theirs.key(KEY);
    theirs.value(value);
    return encodeTheirs();
  }

  private ByteBuffer encodeTheirs() throws IgniteCheckedException {
    try {
      return parser.encode(null, theirs);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** As the gateway does it: key and value are slices of what was read. */
  @Benchmark
  public void sluice() {
    forward(releasing);
  }

  private void forward(ByteSink sink) {
    int keyLength = keyBytes.readableBytes();
    int valueLength = valueBytes.readableBytes();
    ByteBuf head = allocator.directBuffer(ResponseEncoder.headLength(GETK) + keyLength);
    encoder.head(head, GETK, 0, OPAQUE, flags, keyLength, valueLength);
    head.writeBytes(keyBytes, 0, keyLength);
    sink.accept(head);
    sink.accept(slices.take(valueBytes, 0, valueLength));
  }
}
