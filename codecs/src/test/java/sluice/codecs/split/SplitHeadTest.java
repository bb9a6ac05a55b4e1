package sluice.codecs.split;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.codecs.SliceLists;
import sluice.codecs.buffer.SliceList;

class SplitHeadTest {
  private static final String HEAD = "f853 4c7b 01 00500001 000e1000 0123456789abcdef fe459b54";

  private final SplitHead head = new SplitHead();

  private static byte[] golden() {
    return HexFormat.of().parseHex(HEAD.replace(" ", ""));
  }

  private byte[] written(boolean clientsBit, int length, int chunk, long stamp) {
    ByteBuf out = Unpooled.buffer();
    head.write(out, clientsBit, length, chunk, stamp);
    assertThat(out.readableBytes()).isEqualTo(SplitHead.LENGTH);
    return ByteBufUtil.getBytes(out);
  }

  private boolean find(byte[] stored, int size) {
    SliceList queue = SliceLists.of(stored, size);
    boolean found = head.find(queue);
    assertThat(queue.length()).isEqualTo(stored.length);
    queue.clear();
    return found;
  }

  private static byte[] join(byte[]... parts) {
    ByteBuf all = Unpooled.buffer();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return ByteBufUtil.getBytes(all);
  }

  @Test
  void shouldWriteWhatIsStoredForEver() {
    byte[] written = written(false, 5 * 1024 * 1024 + 1, 900 * 1024, 0x0123456789abcdefL);
    assertThat(HexFormat.of().formatHex(written)).isEqualTo(HEAD.replace(" ", ""));
  }

  @Test
  void shouldFindAHeadAmongWhatWasAddedWhereverItIsCut() {
    byte[] before = "prepended \u00f8SL{\u0001 and ".getBytes(ISO_8859_1);
    byte[] behind = join("appended ".getBytes(ISO_8859_1), written(true, 7, 4096, 9));
    byte[] stored = join(before, golden(), behind);
    for (int size = 1; size <= stored.length; size++) {
      assertThat(find(stored, size)).isTrue();
      assertThat(head.offset()).isEqualTo(before.length);
      assertThat(head.hasClientsBit()).isFalse();
      assertThat(head.valueLength()).isEqualTo(5 * 1024 * 1024 + 1);
      assertThat(head.chunkLength()).isEqualTo(900 * 1024);
      assertThat(head.stamp()).isEqualTo(0x0123456789abcdefL);
    }
    assertThat(find(behind, 5)).isTrue();
    assertThat(head.hasClientsBit()).isTrue();
    assertThat(head.valueLength()).isEqualTo(7);
  }

  @Test
  void shouldFindAHeadBehindManyMarksWhereverTheyAreCut() {
    byte[] marks = "\u00f8SL{\u0001".repeat(200).getBytes(ISO_8859_1);
    byte[] stored = join(marks, golden());
    for (int size : new int[] {1, 2, 3, 4, 5, 7, 24, 25, 26, 1000, 2000}) {
      assertThat(find(stored, size)).isTrue();
      assertThat(head.offset()).isEqualTo(marks.length);
      assertThat(head.stamp()).isEqualTo(0x0123456789abcdefL);
      assertThat(find(marks, size)).isFalse();
    }
  }

  @Test
  void shouldTakeNothingForAHeadThatIsNotWhatWasWritten() {
    byte[] stored = golden();
    for (int i = 0; i < stored.length; i++) {
      for (int bit = 0; bit < 8; bit++) {
        byte[] damaged = stored.clone();
        damaged[i] ^= (byte) (1 << bit);
        assertThat(find(damaged, 25)).as("bit %d of byte %d", bit, i).isFalse();
      }
      assertThat(find(Arrays.copyOf(stored, i), 4)).isFalse();
    }
    assertThat(find(written(false, 0, 4096, 1), 25)).isFalse();
    assertThat(find(written(false, -1, 4096, 1), 25)).isFalse();
    assertThat(find(written(false, 1, 1023, 1), 25)).isFalse();
    assertThat(find(written(false, 1, -1, 1), 25)).isFalse();
    assertThat(find(written(false, 1, 1024, 1), 25)).isTrue();
  }

  /** What is found was written: nothing else has the sum. */
  @FuzzTest(maxDuration = "60s")
  void shouldReadAnyValue(byte[] bytes) {
    Random random = new Random(bytes.length);
    SliceList queue = SliceLists.cut(bytes, random, 1 + bytes.length / 3);
    if (head.find(queue)) {
      byte[] again =
          written(head.hasClientsBit(), head.valueLength(), head.chunkLength(), head.stamp());
      assertThat(Arrays.copyOfRange(bytes, head.offset(), head.offset() + SplitHead.LENGTH))
          .isEqualTo(again);
      assertThat(head.valueLength()).isPositive();
      assertThat(head.chunkLength()).isGreaterThanOrEqualTo(SplitHead.LEAST_CHUNK);
    }
    queue.clear();
  }

  @Test
  void shouldReadRandomValuesFullOfMarks() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 2000; round++) {
      ByteBuf bytes = Unpooled.buffer();
      while (bytes.readableBytes() < 200) {
        switch (random.nextInt(4)) {
          case 0 -> bytes.writeInt(0xF8534C7B);
          case 1 -> bytes.writeByte(0xF8);
          case 2 -> bytes.writeBytes(golden(), 0, random.nextInt(26));
          default -> bytes.writeLong(random.nextLong());
        }
      }
      shouldReadAnyValue(ByteBufUtil.getBytes(bytes));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "user:1, user:1:split:0:ASNFZ4mrze8, user:1:split:1048575:ASNFZ4mrze8",
    "k\u00e9, k\u00e9:split:0:ASNFZ4mrze8, k\u00e9:split:1048575:ASNFZ4mrze8",
    "'a b', e63f991904833892:split:0:ASNFZ4mrze8, e63f991904833892:split:1048575:ASNFZ4mrze8",
  })
  void shouldNameChunks(String key, String first, String last) {
    ByteBuf bytes = Unpooled.copiedBuffer(">" + key, ISO_8859_1);
    ChunkKeys keys = new ChunkKeys(bytes, 1, bytes.writerIndex(), 0x0123456789abcdefL);
    assertThat(keys.of(0).toString(ISO_8859_1)).isEqualTo(first);
    assertThat(keys.of(1048575).toString(ISO_8859_1)).isEqualTo(last);
    assertThat(keys.of(0).toString(ISO_8859_1)).isEqualTo(first);
  }

  @Test
  void shouldLeaveKeysOfChunksAsShortAsKeysMayBe() {
    for (int length = 1; length <= 250; length++) {
      ByteBuf key = Unpooled.copiedBuffer("k".repeat(length), ISO_8859_1);
      ChunkKeys keys = new ChunkKeys(key, 0, length, -1);
      String last = keys.of(Integer.MAX_VALUE).toString(ISO_8859_1);
      assertThat(last).hasSizeLessThanOrEqualTo(250);
      assertThat(last.startsWith("k".repeat(length) + ":split:")).isEqualTo(length <= 221);
    }
  }

  @Test
  void shouldSumAChunkWhereverItIsCut() {
    byte[] bytes = "123456789".getBytes(ISO_8859_1);
    ChunkSum sum = new ChunkSum();
    for (int cut = 0; cut <= bytes.length; cut++) {
      ByteBuf all = Unpooled.wrappedBuffer(bytes);
      ByteBuf composite =
          Unpooled.compositeBuffer()
              .addComponent(true, all.retainedSlice(0, cut))
              .addComponent(true, all.retainedSlice(cut, bytes.length - cut));
      sum.reset().add(composite);
      assertThat(sum.sum()).isEqualTo(0xE3069283);
      sum.reset().add(all.slice(0, cut));
      sum.add(all.slice(cut, bytes.length - cut));
      assertThat(sum.sum()).isEqualTo(0xE3069283);
      composite.release();
    }
  }
}
