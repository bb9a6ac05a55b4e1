package org.apache.cassandra.net;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.cassandra.config.Config;
import org.apache.cassandra.config.DataStorageSpec;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.io.compress.BufferType;
import org.apache.cassandra.io.util.DataOutputBufferFixed;
import org.apache.cassandra.locator.InetAddressAndPort;
import org.apache.cassandra.utils.MonotonicClock;
import org.apache.cassandra.utils.TimeUUID;
import org.apache.cassandra.utils.memory.BufferPool;
import org.apache.cassandra.utils.memory.BufferPools;
import sluice.codecs.internode.Framing;

/**
 * Cassandra's own message headers and frames, of version 12. It lives in their package because some
 * of what is called is visible only there.
 */
public final class CassandraCodec {
  private static final int VERSION = 12;

  static {
    DatabaseDescriptor.clientInitialization(
        false,
        () -> {
          Config config = new Config();
          config.internode_max_message_size = new DataStorageSpec.IntBytesBound("128MiB");
          config.networking_cache_size = new DataStorageSpec.IntMebibytesBound("64MiB");
          return config;
        });
  }

  private final InetAddressAndPort from = address();
  private final BufferPool pool = BufferPools.forNetworking();
  private final FrameEncoder encoder;
  private final FrameDecoder decoder;
  private final List<FrameDecoder.Frame> frames = new ArrayList<>();
  private final DataOutputBufferFixed out =
      new DataOutputBufferFixed(ByteBuffer.allocateDirect(256));

  /** A codec whose frames are of one framing, CRC or LZ4. */
  public CassandraCodec(Framing framing) {
    boolean lz4 = framing == Framing.LZ4;
    encoder = lz4 ? FrameEncoderLZ4.fastInstance : FrameEncoderCrc.instance;
    decoder =
        lz4
            ? FrameDecoderLZ4.fast(GlobalBufferPoolAllocator.instance)
            : FrameDecoderCrc.create(GlobalBufferPoolAllocator.instance);
  }

  private static InetAddressAndPort address() {
    try {
      return InetAddressAndPort.getByNameOverrideDefaults("127.0.0.1", 7000);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  /** An ECHO_REQ with id 42, without params or with the session of a trace. */
  public Message<NoPayload> message(boolean traced) {
    Map<ParamType, Object> params =
        traced ? Map.of(ParamType.TRACE_SESSION, TimeUUID.Generator.nextTimeUUID()) : Map.of();
    return Message.builder(Verb.ECHO_REQ, NoPayload.noPayload)
        .from(from)
        .withId(42)
        .withCreatedAt(MonotonicClock.Global.approxTime.now())
        .withParams(params)
        .build();
  }

  /** Serializes a message; the buffer is good until the next call. */
  public ByteBuffer serialize(Message<?> message) {
    try {
      out.clear();
      Message.serializer.serialize(message, out, VERSION);
      return out.unsafeGetBufferAndFlip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Length of the message that begins at an index. */
  public int inferMessageSize(ByteBuffer buffer, int index, int limit) {
    return Message.serializer.inferMessageSize(buffer, index, limit);
  }

  /** All fields of the header at the buffer's position. */
  public Message.Header extractHeader(ByteBuffer buffer, long now) {
    try {
      return Message.serializer.extractHeader(buffer, from, now, VERSION);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Copies plain bytes into a payload and makes a frame of it. The caller owns the result. */
  public ByteBuf encode(ByteBuffer plain) {
    FrameEncoder.Payload payload = encoder.allocator().allocate(true, plain.remaining());
    payload.buffer.put(plain.duplicate());
    payload.finish();
    return encoder.encode(true, payload.buffer);
  }

  /** Copies a frame into a buffer of the pool, as a read does, and decodes it. */
  public ShareableBytes decode(ByteBuffer frame) {
    ByteBuffer read = pool.getAtLeast(frame.remaining(), BufferType.OFF_HEAP);
    read.put(frame.duplicate()).flip();
    decode(frames, ShareableBytes.wrap(read));
    FrameDecoder.IntactFrame intact = (FrameDecoder.IntactFrame) frames.remove(0);
    return intact.contents;
  }

  private void decode(Collection<FrameDecoder.Frame> into, ShareableBytes bytes) {
    decoder.decode(into, bytes);
  }
}
