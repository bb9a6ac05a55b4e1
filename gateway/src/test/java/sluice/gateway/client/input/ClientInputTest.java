package sluice.gateway.client.input;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.metrics.GatewayMetrics;

/** Bytes that wait until their client goes on. */
class ClientInputTest {
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
  private final EmbeddedChannel owner = new EmbeddedChannel();
  private final Loop loop =
      new Loop(
          owner.eventLoop(),
          allocator,
          MemoryShare.of(1, 1 << 20)[0],
          new GatewayMetrics().newLoop());
  private final ClientInput input = new ClientInput(loop);
  private int buffers; // that were read

  @AfterEach
  void close() {
    input.release();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
    owner.finishAndReleaseAll();
  }

  private void waits(String bytes) {
    assertThat(input.addWaiting(Unpooled.copiedBuffer(bytes, US_ASCII))).isEqualTo(bytes.length());
  }

  /** Reads and counts everything. */
  private String all() {
    StringBuilder all = new StringBuilder();
    for (ByteBuf in = input.first(); in != null; in = input.first()) {
      all.append(in.toString(US_ASCII));
      in.skipBytes(in.readableBytes());
      input.doneWith(in);
      buffers++;
    }
    input.count();
    assertThat(input.held()).isZero();
    return all.toString();
  }

  @Test
  void shouldTakeFewBuffersForManyBytesThatComeOneByOne() {
    StringBuilder sent = new StringBuilder();
    for (int i = 0; i < 20_000; i++) {
      String next = Character.toString('a' + i % 26);
      sent.append(next);
      waits(next);
    }
    assertThat(input.held()).isEqualTo(sent.length());
    assertThat(all()).isEqualTo(sent.toString());
    assertThat(buffers).isLessThan(20);
  }

  @Test
  void shouldKeepTheOrderOfFewAndManyBytes() {
    StringBuilder sent = new StringBuilder();
    for (String next : new String[] {"a", "b", "c".repeat(5000), "d", "e".repeat(600), "f"}) {
      sent.append(next);
      waits(next);
    }
    assertThat(all()).isEqualTo(sent.toString());
  }

  @Test
  void shouldGoOnWhereBytesWereReadMeanwhile() {
    waits("a");
    waits("bc");
    ByteBuf first = input.first();
    first.skipBytes(1);
    input.doneWith(first);
    ByteBuf second = input.first();
    assertThat(second.readByte()).isEqualTo((byte) 'b');
    assertThat(input.count()).isEqualTo(-2);
    waits("d");
    assertThat(all()).isEqualTo("cd");
    waits("e");
    assertThat(all()).isEqualTo("e");
  }
}
