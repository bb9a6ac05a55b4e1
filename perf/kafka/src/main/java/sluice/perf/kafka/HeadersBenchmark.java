package sluice.perf.kafka;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.state.internals.Utils;
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
import sluice.codecs.kafka.HeadersLayout;

/**
 * The plain value of one with headers and timestamp, as Kafka Streams 4.3 stores it. Kafka's takes
 * and makes arrays; ours does the same once, and once leaves the value in the direct buffer that it
 * came in, as the gateway does. Before KAFKA-20249 the headers were read to get behind them; that
 * was never released, so it is put together here of {@code Utils.readHeaders} and what follows it.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class HeadersBenchmark {
  /** How many there are. */
  @Param({"0", "3"})
  public int headers;

  /** Bytes of the plain value. */
  @Param({"64", "8192"})
  public int length;

  private byte[] array;
  private ByteBuf direct;
  private Headers parsed;

  /** Makes a value by Kafka's layout, and compares what all ways read from it. */
  @Setup
  public void setup() {
    byte[] plain = new byte[length];
    new Random(length).nextBytes(plain);
    ByteBuf value = Unpooled.buffer();
    writeHeaders(value);
    value.writeLong(1_700_000_000_000L).writeBytes(plain);
    array = new byte[value.readableBytes()];
    value.readBytes(array);
    direct = ByteBufAllocator.DEFAULT.directBuffer(array.length).writeBytes(array);
    Headers read = Utils.headers(array);
    require(read.toArray().length == headers, "Kafka reads other headers");
    require(Utils.hasEmptyHeaders(array) == (headers == 0), "Kafka finds other headers");
    require(Arrays.equals(plain, kafkaArray()), "Kafka reads another value");
    require(Arrays.equals(plain, parsedArray()), "parsing reads another value");
    require(parsed.toArray().length == headers, "parsing reads other headers");
    require(Arrays.equals(plain, array()), "our array is another value");
    direct.readerIndex(offset());
    require(direct.equals(Unpooled.wrappedBuffer(plain)), "our slice is another value");
    direct.readerIndex(0);
  }

  private void writeHeaders(ByteBuf out) {
    if (headers == 0) {
      out.writeByte(0);
      return;
    }
    RecordHeaders written = new RecordHeaders();
    for (int i = 0; i < headers; i++) {
      written.add("header-" + i, ("value " + i).getBytes(StandardCharsets.US_ASCII));
    }
    ByteBuf block = Unpooled.buffer();
    writeVarint(block, headers);
    written.forEach(
        header -> {
          byte[] key = header.key().getBytes(StandardCharsets.UTF_8);
          writeVarint(block, key.length);
          block.writeBytes(key);
          writeVarint(block, header.value().length);
          block.writeBytes(header.value());
        });
    writeVarint(out, block.readableBytes());
    out.writeBytes(block);
  }

  private static void writeVarint(ByteBuf out, int value) {
    int rest = (value << 1) ^ (value >> 31);
    while ((rest & ~0x7F) != 0) {
      out.writeByte(rest | 0x80);
      rest >>>= 7;
    }
    out.writeByte(rest);
  }

  private static void require(boolean condition, String difference) {
    if (!condition) {
      throw new IllegalStateException("the two disagree: " + difference);
    }
  }

  private int offset() {
    return HeadersLayout.TIMESTAMPED_HEADERS.plainOffset(direct, 0, direct.readableBytes());
  }

  /** Gives the buffer back. */
  @TearDown
  public void tearDown() {
    direct.release();
  }

  /** Ours, as the gateway passes it on: the buffer that it arrived in, from the value on. */
  @Benchmark
  public void slice(Blackhole blackhole) {
    direct.readerIndex(offset());
    blackhole.consume(direct.getByte(direct.readerIndex()));
    blackhole.consume(direct.getByte(direct.writerIndex() - 1));
    direct.readerIndex(0);
  }

  /** Ours, from array to array. */
  @Benchmark
  public byte[] array() {
    return HeadersLayout.TIMESTAMPED_HEADERS.plain(array);
  }

  /** Kafka's as it is. */
  @Benchmark
  public byte[] kafkaArray() {
    return Utils.rawPlainValue(array);
  }

  /** Kafka's as it was. */
  @Benchmark
  public byte[] parsedArray() {
    ByteBuffer value = ByteBuffer.wrap(array);
    parsed = Utils.readHeaders(value);
    value.position(value.position() + Long.BYTES);
    byte[] plain = new byte[value.remaining()];
    value.get(plain);
    return plain;
  }
}
