package sluice.codecs.internode.address;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.Comparator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.codecs.buffer.ByteSink;
import sluice.codecs.internode.RecordedMessages;
import sluice.codecs.internode.RecordedMessages.Recorded;
import sluice.names.Verb;
import sluice.testkit.SteadyState;

/** What is done for every message makes no garbage. */
class AddressAllocationTest {
  private static final int ROUNDS = 20_000;

  /** Less than one object a round, by far: what the JVM itself may do meanwhile. */
  private static final long ALLOWED = 2 * ROUNDS;

  @Test
  void shouldLookAtGossipWithoutGarbage() {
    Recorded message =
        RecordedMessages.all().stream()
            .filter(r -> r.verb() == Verb.GOSSIP_DIGEST_ACK)
            .max(Comparator.comparingInt(r -> r.bytes().length))
            .orElseThrow();
    byte[] bytes = message.bytes();
    ByteBuf in = Unpooled.buffer(bytes.length).writeBytes(bytes);
    MessageRewriter rewriter = new MessageRewriter(Rewritten.IPV6, message.version());
    assertThat(
            allocated(
                () -> {
                  if (!rewriter.rewrite(in, 0, bytes.length) || rewriter.length() <= bytes.length) {
                    throw new IllegalStateException("nothing was replaced");
                  }
                }))
        .isLessThan(ALLOWED);
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

  /** Hands out one buffer again and again, which the leak detector does not see. */
  private static final class OneBuffer extends AbstractByteBufAllocator {
    private final ByteBuf buffer =
        Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(64 * 1024)).clear();

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
      return buffer.clear().retain();
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
      return UnpooledByteBufAllocator.DEFAULT.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
      return true;
    }
  }

  /** In direct memory, as messages are read to. */
  private static ByteBuf direct(byte[] bytes) {
    return Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(bytes.length))
        .clear()
        .writeBytes(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"GOSSIP_DIGEST_ACK", "MUTATION_REQ"})
  void shouldWriteMessagesAnewWithoutGarbage(String verb) {
    Recorded message =
        RecordedMessages.all().stream()
            .filter(r -> r.verb().label().equals(verb))
            .filter(r -> Rewritten.message(Rewritten.IPV6, r.version(), r.bytes()) != r.bytes())
            .max(Comparator.comparingInt(r -> r.bytes().length))
            .orElseThrow();
    byte[] bytes = message.bytes();
    ByteBuf in = direct(bytes);
    MessageRewriter rewriter = new MessageRewriter(Rewritten.IPV6, message.version());
    OneBuffer allocator = new OneBuffer();
    int[] written = new int[1];
    ByteSink sink =
        piece -> {
          written[0] += piece.readableBytes();
          piece.release();
        };
    assertThat(
            allocated(
                () -> {
                  written[0] = 0;
                  if (!rewriter.rewrite(in, 0, bytes.length)) {
                    throw new IllegalStateException("nothing was replaced");
                  }
                  rewriter.write(allocator, sink);
                  if (written[0] != rewriter.length()) {
                    throw new IllegalStateException("not all of it was written");
                  }
                }))
        .isLessThan(ALLOWED);
  }
}
