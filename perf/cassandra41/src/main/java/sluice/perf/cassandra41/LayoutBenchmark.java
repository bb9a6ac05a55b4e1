package sluice.perf.cassandra41;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.io.util.DataOutputBufferFixed;
import org.apache.cassandra.locator.InetAddressAndPort;
import org.apache.cassandra.net.Message;
import org.apache.cassandra.net.NoPayload;
import org.apache.cassandra.net.ParamType;
import org.apache.cassandra.net.Verb;
import org.apache.cassandra.tracing.Tracing.TraceType;
import org.apache.cassandra.utils.MonotonicClock;
import org.apache.cassandra.utils.TimeUUID;
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
import sluice.codecs.internode.MessageHeader;
import sluice.codecs.internode.MessageHeaderWriter;
import sluice.names.build.AllowedHere;

/**
 * What CASSANDRA-14485 measured with its MessageOutBench: an ECHO_REQ written in the layout of
 * before 4.0 and in that of 4.0, by Cassandra 4.1, which is the last release that has both. Beside
 * them ours of the latter.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class LayoutBenchmark {
  private static final int VERSION_30 = 10;
  private static final int VERSION_40 = 12;

  /** Whether it has a TRACE_SESSION and a TRACE_TYPE. */
  @Param({"false", "true"})
  public boolean traced;

  private final DataOutputBufferFixed theirs =
      new DataOutputBufferFixed(ByteBuffer.allocateDirect(512));
  private final MessageHeader header = new MessageHeader();
  private final MessageHeaderWriter writer = new MessageHeaderWriter(VERSION_40);
  private Message<NoPayload> message;
  private ByteBuf read;
  private ByteBuf out;

  /** Builds the message, compares our bytes with Cassandra's, and prints the sizes. */
  @Setup
  @AllowedHere("prints beside JMH")
  public void setup() throws IOException {
    DatabaseDescriptor.clientInitialization(false);
    Map<ParamType, Object> params =
        traced
            ? Map.of(
                ParamType.TRACE_SESSION,
                TimeUUID.Generator.nextTimeUUID(),
                ParamType.TRACE_TYPE,
                TraceType.QUERY)
            : Map.of();
    message =
        Message.builder(Verb.ECHO_REQ, NoPayload.noPayload)
            .from(InetAddressAndPort.getByNameOverrideDefaults("127.0.0.1", 7000))
            .withId(42)
            .withCreatedAt(MonotonicClock.Global.approxTime.now())
            .withParams(params)
            .build();
    int before = serializePre40();
    int since = serialize40();
    read = ByteBufAllocator.DEFAULT.directBuffer(512).writeBytes(theirs.asNewBuffer());
    out = ByteBufAllocator.DEFAULT.directBuffer(512);
    if (!header.parse(read, 0, since, VERSION_40) || sluice40() != since || !out.equals(read)) {
      throw new IllegalStateException("the two write different bytes");
    }
    System.out.printf(
        "traced %s: %d bytes before 4.0, %d since: %.0f%% smaller%n",
        traced, before, since, 100.0 * (before - since) / before);
  }

  /** Gives the buffers back. */
  @TearDown
  public void tearDown() {
    read.release();
    out.release();
  }

  /** The layout of before 4.0. */
  @Benchmark
  public int serializePre40() throws IOException {
    return serialize(VERSION_30);
  }

  /** The layout since 4.0. */
  @Benchmark
  public int serialize40() throws IOException {
    return serialize(VERSION_40);
  }

  private int serialize(int version) throws IOException {
    theirs.clear();
    Message.serializer.serialize(message, theirs, version);
    return theirs.getLength();
  }

  /** The layout since 4.0, ours. */
  @Benchmark
  public int sluice40() {
    writer
        .like(header)
        .write(
            out.clear(),
            header.paramCount(),
            read,
            header.paramsIndex(),
            header.paramsEnd() - header.paramsIndex(),
            0);
    return out.readableBytes();
  }
}
