package sluice.perf.jmh;

import io.netty.buffer.ByteBuf;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import sluice.codecs.buffer.ByteSink;
import sluice.codecs.internode.address.AddressMap;
import sluice.codecs.internode.address.MessageRewriter;
import sluice.names.Verb;

/**
 * A node's address, in a param of a mutation between nodes, replaced by another: new bytes for the
 * head, a slice for what is long. Beside it the whole message copied.
 */
public class AddressesBenchmark extends CodecBenchmark {
  private static final int VERSION = 12;
  private static final int RESPOND_TO = 1;
  private static final int PORT = 7000;

  /** Bytes of the mutation. */
  @Param({"100", "65536"})
  public int payload;

  private MessageRewriter rewriter;
  private final ByteSink sink = this::leave;
  private ByteBuf message;
  private int address;
  private @Nullable ByteBuf collected; // what leaves, while it is compared; else null
  private int left;

  /** Compares with the message as a node of the other address would write it. */
  @Setup
  public void setup() throws UnknownHostException {
    rewriter =
        new MessageRewriter(
            AddressMap.of(IntStream.range(1, 21).mapToObj(AddressesBenchmark::entry).toList()),
            VERSION);
    message = direct(message(10));
    collected = direct(message.capacity() + 64);
    same(sluice(), message.writerIndex(), "bytes of the message");
    ByteBuf expected = direct(message(127));
    sameBytes(collected, expected, "the message");
    ByteBuf copied = copied();
    sameBytes(copied, expected, "the message copied");
    copied.release();
    collected = null;
    same(rewriter.unparsed(), 0L, "params that were not understood");
  }

  private static AddressMap.Entry entry(int node) {
    return new AddressMap.Entry(
        inet(10, node), AddressMap.ANY_PORT, inet(127, node), AddressMap.ANY_PORT);
  }

  private static InetAddress inet(int net, int node) {
    try {
      return InetAddress.getByAddress(new byte[] {(byte) net, 0, 0, (byte) node});
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A message whose answer is for node 7 of a net. */
  private byte[] message(int net) {
    ByteBuffer bytes = ByteBuffer.allocate(64 + payload);
    bytes.put((byte) 42).putInt(123_456_789).put((byte) 100); // id, created, expires
    Verb verb = Objects.requireNonNull(Verb.named("MUTATION_REQ"));
    bytes.put((byte) verb.id()).put((byte) 0).put((byte) 1); // flags, params
    bytes.put((byte) RESPOND_TO).put((byte) 7).put((byte) 6);
    address = bytes.position();
    bytes.put(inet(net, 7).getAddress()).putShort((short) PORT);
    if (payload < 0x80) {
      bytes.put((byte) payload);
    } else {
      bytes.put((byte) (0xC0 | payload >>> 16)).putShort((short) payload);
    }
    bytes.position(bytes.position() + payload);
    byte[] message = new byte[bytes.position()];
    bytes.flip().get(message);
    return message;
  }

  private void leave(ByteBuf bytes) {
    left += bytes.readableBytes();
    if (collected != null) {
      collected.writeBytes(bytes.duplicate());
    }
    bytes.release();
  }

  private ByteBuf copied() {
    ByteBuf copy = allocator.directBuffer(message.writerIndex());
    copy.writeBytes(message, 0, message.writerIndex());
    return copy.setInt(address, 127 << 24 | 7);
  }

  /** Ours. */
  @Benchmark
  public int sluice() {
    left = 0;
    if (rewriter.rewrite(message, 0, message.writerIndex())) {
      rewriter.write(allocator, sink);
    }
    return left;
  }

  /** All of it, at a place that is known. */
  @Benchmark
  public int copying() {
    ByteBuf copy = copied();
    int bytes = copy.readableBytes();
    copy.release();
    return bytes;
  }
}
