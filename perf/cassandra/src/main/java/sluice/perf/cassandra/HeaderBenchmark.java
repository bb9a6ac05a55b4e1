package sluice.perf.cassandra;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.apache.cassandra.net.CassandraCodec;
import org.apache.cassandra.net.Message;
import org.apache.cassandra.net.NoPayload;
import org.apache.cassandra.net.ParamType;
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
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.MessageHeader;
import sluice.codecs.internode.MessageHeaderWriter;
import sluice.codecs.internode.MessageLength;
import sluice.codecs.internode.MessageParams;

/**
 * Headers of version 12: finding where a message ends, reading all fields, writing. The message is
 * that of Cassandra's own MessageOutBench: an ECHO_REQ with id 42, without params or traced.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class HeaderBenchmark {
  private static final int VERSION = 12;
  private static final int TRACE_SESSION = 5;

  /** Whether it has a TRACE_SESSION, of 16 bytes. */
  @Param({"false", "true"})
  public boolean traced;

  private CassandraCodec cassandra;
  private Message<NoPayload> message;
  private ByteBuffer nio;
  private long now;

  private final MessageHeader header = new MessageHeader();
  private final MessageHeaderWriter writer = new MessageHeaderWriter(VERSION);
  private ByteBuf buffer;
  private int length;
  private ByteBuf out;
  private ByteBuf params;
  private int paramCount;
  private long id;
  private int createdAt;
  private long expiresAfter;
  private int verb;
  private int flags;

  /** Serializes the message and compares what both make of it. */
  @Setup
  public void setup() {
    cassandra = new CassandraCodec(Framing.CRC);
    message = cassandra.message(traced);
    now = MonotonicClock.Global.approxTime.now();
    ByteBuffer serialized = cassandra.serialize(message);
    length = serialized.remaining();
    nio = ByteBuffer.allocateDirect(length).put(serialized.duplicate()).flip();
    buffer = ByteBufAllocator.DEFAULT.directBuffer(length).writeBytes(nio.duplicate());
    out = ByteBufAllocator.DEFAULT.directBuffer(256);
    params = ByteBufAllocator.DEFAULT.directBuffer(256);
    Message.Header theirs = cassandra.extractHeader(nio, now);
    require(header.parse(buffer, 0, length, VERSION), "an incomplete header");
    require(header.id() == theirs.id, "another id");
    require(header.verb() == theirs.verb.id, "another verb");
    require(
        header.expiresAfterMillis()
            == TimeUnit.NANOSECONDS.toMillis(theirs.expiresAtNanos - theirs.createdAtNanos),
        "another time to live");
    MessageParams found = header.params();
    if (traced) {
      require(found.next(), "no param");
      TimeUUID session = (TimeUUID) theirs.params().get(ParamType.TRACE_SESSION);
      require(found.type() == TRACE_SESSION, "another param");
      require(
          buffer
              .slice(found.index(), found.length())
              .equals(Unpooled.wrappedBuffer(session.toBytes())),
          "another session");
    }
    require(!found.next(), "one param more");
    require(skip() == cassandraSkip() && skip() == length, "another length");
    id = header.id();
    createdAt = header.createdAt();
    expiresAfter = header.expiresAfterMillis();
    verb = header.verb();
    flags = header.flags();
    paramCount = header.paramCount();
    params.writeBytes(buffer, header.paramsIndex(), header.paramsEnd() - header.paramsIndex());
    require(write().equals(buffer), "other bytes");
  }

  private static void require(boolean condition, String difference) {
    if (!condition) {
      throw new IllegalStateException("the two disagree: " + difference);
    }
  }

  /** Gives the buffers back. */
  @TearDown
  public void tearDown() {
    buffer.release();
    out.release();
    params.release();
  }

  /** Where the message ends. */
  @Benchmark
  public long skip() {
    return MessageLength.of(buffer, 0, length, VERSION);
  }

  /** The same in Cassandra: {@code inferMessageSize}. */
  @Benchmark
  public int cassandraSkip() {
    return cassandra.inferMessageSize(nio, 0, length);
  }

  /** All fields and params. */
  @Benchmark
  public long read() {
    header.parse(buffer, 0, length, VERSION);
    long sum =
        header.id()
            + header.createdAt()
            + header.expiresAfterMillis()
            + header.verb()
            + header.flags()
            + header.payloadLength();
    MessageParams each = header.params();
    while (each.next()) {
      sum += each.type() + buffer.getLong(each.index());
    }
    return sum;
  }

  /** The same in Cassandra: {@code extractHeader}. */
  @Benchmark
  public Object cassandraRead() {
    return cassandra.extractHeader(nio, now);
  }

  /** All fields, and params as they are, into a buffer that is used again. */
  @Benchmark
  public ByteBuf write() {
    writer
        .id(id)
        .createdAt(createdAt)
        .expiresAfterMillis(expiresAfter)
        .verb(verb)
        .flags(flags)
        .write(out.clear(), paramCount, params, 0, params.readableBytes(), 0);
    return out;
  }

  /** The same in Cassandra, of a message that was built before: {@code serialize}. */
  @Benchmark
  public ByteBuffer cassandraWrite() {
    return cassandra.serialize(message);
  }
}
