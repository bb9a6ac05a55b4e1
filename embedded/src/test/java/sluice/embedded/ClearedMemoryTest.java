package sluice.embedded;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The table of items is as large as the memory of a store allows: it is not written again when
 * there is nothing to be removed. A mark in the table shows whether it was written.
 */
class ClearedMemoryTest {
  private static final long MIB = 1024 * 1024;
  private static final int MARK = 0x5A5A5A5A;
  private static final String SET = "set a 0 0 1\r\nx\r\n";

  /** Gives buffers outside the heap, and knows them all. */
  private static final class Allocator extends AbstractByteBufAllocator {
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
    private final List<ByteBuf> direct = new ArrayList<>();

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
      return allocator.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
      ByteBuf buffer = allocator.directBuffer(initialCapacity, maxCapacity);
      direct.add(buffer);
      return buffer;
    }

    @Override
    public boolean isDirectBufferPooled() {
      return false;
    }
  }

  private final Allocator allocator = new Allocator();

  /** Number of buckets with an item. */
  private static int used(ByteBuf table) {
    int used = 0;
    for (int at = 0; at < table.capacity(); at += Integer.BYTES) {
      used += table.getInt(at) == ItemMemory.NONE ? 0 : 1;
    }
    return used;
  }

  @Test
  void shouldLeaveTheTableOfAnEmptyStoreAlone() {
    try (EmbeddedStore store =
        new EmbeddedStore(MIB, EmbeddedStore.DEFAULT_ITEM_SIZE_LIMIT, new FakeClock(), allocator)) {
      Client client = new Client(store);
      ByteBuf table = allocator.direct.get(0);
      client.send(SET);
      assertThat(used(table)).isOne();
      assertThat(client.send("flush_all\r\n")).isEqualTo("OK\r\n");
      assertThat(used(table)).isZero();
      assertThat(client.send(SET + "delete a\r\n")).isEqualTo("STORED\r\nDELETED\r\n");
      table.setInt(0, MARK);
      assertThat(client.send("flush_all\r\n")).isEqualTo("OK\r\n");
      assertThat(table.getInt(0)).isEqualTo(MARK);
      table.setInt(0, ItemMemory.NONE);
      assertThat(client.send(SET + "get a\r\n")).isEqualTo("STORED\r\nVALUE a 0 1\r\nx\r\nEND\r\n");
    }
    assertThat(allocator.allocator.metric().usedDirectMemory()).isZero();
  }

  @Test
  void shouldLeaveTheTableOfAnEmptyNearCacheAlone() {
    NearItems items = new NearItems(MIB, allocator);
    byte[] key = "a".getBytes(US_ASCII);
    ByteBuf asked = Unpooled.wrappedBuffer(key);
    int hash = NearItems.hash(asked, 0, key.length);
    assertThat(items.create(hash, key, 0, 0, 0, Long.MAX_VALUE)).isNotEqualTo(NearItems.NONE);
    ByteBuf table = allocator.direct.get(0);
    assertThat(used(table)).isOne();
    items.clear();
    assertThat(used(table)).isZero();
    assertThat(items.find(hash, asked, 0, key.length, 0)).isEqualTo(NearItems.NONE);
    table.setInt(0, MARK);
    items.clear();
    assertThat(table.getInt(0)).isEqualTo(MARK);
    table.setInt(0, ItemMemory.NONE);
    assertThat(items.create(hash, key, 0, 0, 0, Long.MAX_VALUE)).isNotEqualTo(NearItems.NONE);
    assertThat(items.find(hash, asked, 0, key.length, 0)).isNotEqualTo(NearItems.NONE);
    items.release();
    assertThat(allocator.allocator.metric().usedDirectMemory()).isZero();
  }
}
