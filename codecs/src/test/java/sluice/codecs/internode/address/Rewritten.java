package sluice.codecs.internode.address;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** Maps to test with, and rewriting of byte arrays. */
public final class Rewritten {
  /** Addresses of the recorded nodes: where they listen, and who they are. */
  private static final int[] NODES = {2, 3, 4, 12, 13, 14};

  /** Same addresses. */
  public static final AddressMap IDENTITY = ofNodes("127.0.0.%d");

  /** Addresses of the same length. */
  public static final AddressMap IPV4 = ofNodes("198.51.100.2%02d");

  /** Longer addresses. */
  public static final AddressMap IPV6 = ofNodes("2001:db8::a:%d");

  private Rewritten() {}

  private static AddressMap ofNodes(String format) {
    List<AddressMap.Entry> entries = new ArrayList<>();
    for (int node : NODES) {
      entries.add(anyPort("127.0.0." + node, format.formatted(node)));
    }
    return AddressMap.of(entries);
  }

  public static AddressMap.Entry anyPort(String from, String to) {
    return new AddressMap.Entry(
        address(from), AddressMap.ANY_PORT, address(to), AddressMap.ANY_PORT);
  }

  public static AddressMap.Entry entry(String from, int fromPort, String to, int toPort) {
    return new AddressMap.Entry(address(from), fromPort, address(to), toPort);
  }

  public static InetAddress address(String text) {
    try {
      return InetAddress.getByName(text);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** The message as it leaves. What changed and what could not be read, tells the rewriter. */
  public static byte[] message(MessageRewriter rewriter, byte[] message) {
    // What is read and written is counted here, not traced: every access would be recorded.
    UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    ByteBuf in = Unpooled.buffer(message.length + 3).writeZero(3).writeBytes(message);
    if (!rewriter.rewrite(in, 3, message.length)) {
      return message;
    }
    int length = rewriter.length();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    rewriter.write(
        allocator,
        piece -> {
          out.writeBytes(ByteBufUtil.getBytes(piece));
          piece.release();
        });
    if (out.size() != length || indexOf(ByteBufUtil.getBytes(in), message) != 3) {
      throw new IllegalStateException(
          "%d bytes, expected %d; or the message itself was changed".formatted(out.size(), length));
    }
    if (in.refCnt() != 1 || allocator.metric().usedDirectMemory() != 0) {
      throw new IllegalStateException("something was not released");
    }
    return out.toByteArray();
  }

  public static byte[] message(AddressMap map, int version, byte[] message) {
    return message(new MessageRewriter(map, version), message);
  }

  /** A streaming connection as it leaves, read in pieces of this size. */
  public static byte[] stream(StreamRewriterCheck check, byte[] stream, int size) {
    UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    StreamRewriter rewriter =
        new StreamRewriter(
            check.map(),
            check.version(),
            allocator,
            piece -> {
              out.writeBytes(ByteBufUtil.getBytes(piece));
              piece.release();
            });
    for (int at = 0; at < stream.length; at += size) {
      int length = Math.min(size, stream.length - at);
      rewriter.read(allocator.heapBuffer(length).writeBytes(stream, at, length));
    }
    check.end().accept(rewriter);
    rewriter.close();
    if (allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory() != 0) {
      throw new IllegalStateException("something was not released");
    }
    return out.toByteArray();
  }

  /** How to rewrite a stream, and what to look at when all of it was read. */
  public record StreamRewriterCheck(AddressMap map, int version, Consumer<StreamRewriter> end) {}

  /** Where bytes occur in others, or -1. */
  public static int indexOf(byte[] in, byte[] what) {
    for (int at = 0; at + what.length <= in.length; at++) {
      if (Arrays.equals(in, at, at + what.length, what, 0, what.length)) {
        return at;
      }
    }
    return -1;
  }
}
