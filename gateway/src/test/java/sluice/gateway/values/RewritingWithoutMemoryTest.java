package sluice.gateway.values;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.memcached.bridge.Awaited;
import sluice.codecs.memcached.bridge.Reply;
import sluice.config.Loader;
import sluice.config.model.PoolConfig;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.metrics.GatewayMetrics;

/** Values that there is no direct memory to rewrite. */
class RewritingWithoutMemoryTest {
  private static final String YAML =
      """
      listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
      routes: {cache: [{pool: cache}]}
      pools: {cache: {servers: ["127.0.0.1:1"], values: {replace: [{find: old, with: new}]}}}
      """;

  /** Direct memory, of which none may be left. */
  private static final class Memory extends AbstractByteBufAllocator {
    private final List<ByteBuf> buffers = new ArrayList<>();
    private boolean usedUp;

    Memory() {
      super(true);
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
      return UnpooledByteBufAllocator.DEFAULT.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
      if (usedUp) {
        throw new OutOfMemoryError("none for this test");
      }
      ByteBuf buffer = new UnpooledDirectByteBuf(this, initialCapacity, maxCapacity);
      buffers.add(buffer);
      return buffer;
    }

    @Override
    public boolean isDirectBufferPooled() {
      return false;
    }
  }

  private final Memory memory = new Memory();
  private final EmbeddedChannel owner = new EmbeddedChannel();
  private final Loop loop =
      new Loop(
          owner.eventLoop(),
          memory,
          MemoryShare.of(1, 64 << 20)[0],
          new GatewayMetrics().newLoop());
  private final PoolValues values = PoolValues.of(pool(), null, 1 << 20, loop);

  private static PoolConfig pool() {
    return Loader.parse("test.yaml", YAML).configuration().pools().get("cache");
  }

  @AfterEach
  void close() {
    loop.close();
    owner.finishAndReleaseAll();
    assertThat(memory.buffers).isNotEmpty().allMatch(buffer -> buffer.refCnt() == 0);
  }

  private SliceList value(String text) {
    SliceList value = new SliceList(loop.slices());
    value.add(memory.directBuffer(text.length()).writeBytes(text.getBytes(US_ASCII)));
    return value;
  }

  /** The value as clients get it. Releases it. */
  private static String text(SliceList value) {
    ByteBuf all = Unpooled.directBuffer(value.length());
    value.appendTo(all);
    value.clear();
    String text = all.toString(US_ASCII);
    all.release();
    return text;
  }

  /** The part that had been rewritten belongs to another client. */
  @Test
  void shouldNotBeginTheNextValueWithAPartOfOneThatFailed() {
    SliceList failed = value("x".repeat(2000) + "old");
    memory.usedUp = true;
    assertThatThrownBy(() -> values.inbound(new Reply(), new Awaited(), failed))
        .isInstanceOf(OutOfMemoryError.class);
    memory.usedUp = false;
    failed.clear(); // as its reader does
    SliceList next = value("an old one");
    Reply reply = new Reply();
    assertThat(values.inbound(reply, new Awaited(), next)).isNull();
    assertThat(reply.valueLength).isEqualTo("an new one".length());
    assertThat(text(next)).isEqualTo("an new one");
  }
}
