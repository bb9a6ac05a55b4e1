package sluice.codecs.internode.address;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Stream messages with long lists that come byte by byte, or are announced and never come. */
class LongListsTest {
  private static final byte[] ADDRESS = {6, 127, 0, 0, 13, 0x1B, 0x58};

  /** Counts buffers: one is allocated for each try of a message that is spread over several. */
  private static final class Counting extends AbstractByteBufAllocator {
    private int buffers;

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
      buffers++;
      return UnpooledByteBufAllocator.DEFAULT.directBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
      return UnpooledByteBufAllocator.DEFAULT.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
      return false;
    }
  }

  private final Counting allocator = new Counting();
  private final AtomicInteger out = new AtomicInteger();
  private final StreamRewriter rewriter =
      new StreamRewriter(
          Rewritten.IPV4,
          12,
          allocator,
          bytes -> {
            out.addAndGet(bytes.readableBytes());
            bytes.release();
          });

  /** PREPARE_SYN with one request for tables with names of this length. */
  private static ByteBuf tables(int announced, int count, int name) {
    ByteBuf bytes = Unpooled.buffer().writeByte(StreamFields.PREPARE_SYN).writeInt(1);
    bytes.writeShort(2).writeShort(0x6161).writeInt(announced).writeBytes(ADDRESS);
    bytes.writeInt(0).writeInt(0);
    for (int i = 0; i < count; i++) {
      bytes.writeShort(name).writeZero(name);
    }
    return bytes;
  }

  private void read(ByteBuf bytes, int size) {
    byte[] all = ByteBufUtil.getBytes(bytes);
    for (int at = 0; at < all.length; at += size) {
      int length = Math.min(size, all.length - at);
      rewriter.read(Unpooled.directBuffer(length, length).writeBytes(all, at, length));
    }
  }

  @ParameterizedTest
  @CsvSource({"100000,1", "30000,10", "300,1000"})
  void shouldTryAMessageAFewTimesAndPassItWithItsLastByte(int count, int name) {
    ByteBuf message = tables(count, count, name).writeInt(0);
    int length = message.readableBytes();
    read(message.readSlice(length - 20_000), 64 * 1024);
    read(message.readSlice(19_999), 1);
    assertThat(out).hasValue(0);
    read(message, 1);
    assertThat(out).hasValue(length);
    assertThat(rewriter.isLost()).isFalse();
    assertThat(rewriter.heldBytes()).isZero();
    assertThat(allocator.buffers).isLessThan(60);
  }

  @Test
  void shouldNotWaitForMoreThanAMessageMayHave() {
    ByteBuf message = tables(1 << 30, 10, 1);
    read(message, 100);
    assertThat(rewriter.isLost()).isTrue();
    assertThat(out).hasValue(message.writerIndex());
    assertThat(rewriter.heldBytes()).isZero();
  }
}
