package sluice.codecs.internode;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import sluice.codecs.compress.Lz4;
import sluice.testkit.SteadyState;

/** What is done for every message or frame makes no garbage. */
class AllocationTest {
  private static final int ROUNDS = 20_000;

  /** Less than one object a round, by far: what the JVM itself may do meanwhile. */
  private static final long ALLOWED = 2 * ROUNDS;

  /** Without the leak detector, which makes garbage of its own. */
  private static ByteBuf direct(int capacity) {
    return Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(capacity)).clear();
  }

  private static long allocated(Runnable work) {
    return SteadyState.leastAllocated(
        ALLOWED,
        () -> {
          for (int i = 0; i < ROUNDS; i++) {
            work.run();
          }
        });
  }

  @Test
  void shouldReadAndWriteHeadersWithoutGarbage() {
    ByteBuf buffer = direct(1024);
    ByteBuf params = direct(18).writeByte(5).writeByte(16).writeZero(16);
    MessageHeaderWriter writer = new MessageHeaderWriter(14).id(300).epoch(7).verb(802);
    MessageHeader header = new MessageHeader();
    assertThat(
            allocated(
                () -> {
                  writer.write(buffer.clear(), 1, params, 0, 18, 1000);
                  int end = buffer.writerIndex();
                  header.parse(buffer, 0, end, 14);
                  MessageParams read = header.params();
                  if (!read.next()
                      || read.length() != 16
                      || MessageLength.of(buffer, 0, end, 14) != end + 1000) {
                    throw new IllegalStateException("read something else than was written");
                  }
                }))
        .isLessThan(ALLOWED);
    buffer.release();
    params.release();
  }

  @Test
  void shouldSumAndCompressWithoutGarbage() {
    ByteBuf buffer = direct(8192).writeZero(8192);
    Frame frame = new Frame(Framing.LZ4);
    FrameCrc32 crc = new FrameCrc32();
    assertThat(
            allocated(
                () -> {
                  int length = Lz4.compress(buffer, 0, 1000, buffer, 4096);
                  Frame.setHeader(buffer, 4088, Framing.LZ4, length, 1000, true);
                  frame.wrap(buffer, 4088);
                  crc.of(buffer, 4096, frame.payloadLength());
                  if (Lz4.decompress(buffer, 4096, length, buffer, 1000, 1000) != 1000) {
                    throw new IllegalStateException("decompressed something else");
                  }
                }))
        .isLessThan(ALLOWED);
    buffer.release();
  }
}
