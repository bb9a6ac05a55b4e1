package sluice.gateway.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;
import sluice.codecs.compress.Scratch;
import sluice.gateway.metrics.GatewayMetrics;

class LoopTest {
  private static final int LARGE = 4 << 20;

  private final MemoryShare memory = MemoryShare.of(1, 64 << 20)[0];
  private final Loop loop =
      new Loop(
          new EmbeddedChannel().eventLoop(),
          new UnpooledByteBufAllocator(false),
          memory,
          new GatewayMetrics().newLoop());

  @Test
  void shouldCountTheBufferThatItCompressesIn() {
    loop.workspace().scratch().buffer(LARGE);
    assertThat(memory.total()).isGreaterThanOrEqualTo(LARGE);
    loop.close();
    assertThat(memory.total()).isZero();
  }

  @Test
  void shouldGiveTheBufferBackOfWhichFewerBytesWereUsedOfLate() {
    Scratch scratch = loop.workspace().scratch();
    ByteBuf large = scratch.buffer(LARGE);
    scratch.releaseIfIdle(); // as of some time ago
    assertThat(scratch.buffer(20_000)).isSameAs(large);
    loop.tick();
    loop.sweep();
    assertThat(large.refCnt()).isZero();
    assertThat(memory.total()).isZero();
    loop.close();
  }
}
