package sluice.codecs.compress;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.codecs.SliceLists;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.buffer.Slices;
import sluice.codecs.compress.Compressor.Outcome;

class CompressorTest {
  private static final int MIB = 1 << 20;
  private static final List<Algorithm> ALL = List.of(Algorithm.values());

  private final Workspace workspace = Workspace.of(PooledByteBufAllocator.DEFAULT);
  private final Compressor compressor = new Compressor(workspace);
  private final SliceList plain = new SliceList(new Slices());

  @AfterEach
  void close() {
    compressor.close();
    workspace.scratch().release();
    plain.clear();
  }

  private static byte[] text(int length) {
    Random random = new Random(length);
    StringBuilder text = new StringBuilder();
    while (text.length() < length) {
      text.append("name").append(random.nextInt(1000)).append("=value;");
    }
    return text.substring(0, length).getBytes(ISO_8859_1);
  }

  private static byte[] noise(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  private byte[] compressed(byte[] value, Algorithm algorithm, boolean clientsBit) {
    SliceList pieces = SliceLists.of(value, 1000);
    ByteBuf stored =
        compressor.compress(pieces, algorithm, Dictionaries.NONE, clientsBit, Integer.MAX_VALUE);
    assertThat(pieces.length()).isEqualTo(value.length);
    pieces.clear();
    byte[] bytes = new byte[stored.readableBytes()];
    stored.readBytes(bytes).release();
    return bytes;
  }

  private Outcome restore(byte[] stored, int pieceSize, int most) {
    SliceList pieces = SliceLists.of(stored, pieceSize);
    Outcome outcome = compressor.restore(pieces, Dictionaries.NONE, most, plain);
    assertThat(pieces.length()).isEqualTo(outcome == Outcome.RESTORED ? 0 : stored.length);
    pieces.clear();
    return outcome;
  }

  private static byte[] join(byte[]... parts) {
    int length = Arrays.stream(parts).mapToInt(part -> part.length).sum();
    byte[] joined = new byte[length];
    int at = 0;
    for (byte[] part : parts) {
      System.arraycopy(part, 0, joined, at, part.length);
      at += part.length;
    }
    return joined;
  }

  @ParameterizedTest
  @EnumSource
  void shouldRestoreWhatWasCompressed(Algorithm algorithm) {
    for (int length : new int[] {1, 2, 64, 1000, 1001, 100_000, MIB}) {
      for (byte[] value : new byte[][] {text(length), noise(length), new byte[length]}) {
        byte[] stored = compressed(value, algorithm, length % 2 == 0);
        for (int size : new int[] {Math.max(1, length / 50), 65_536, stored.length}) {
          assertThat(restore(stored, size, length)).isEqualTo(Outcome.RESTORED);
          assertThat(compressor.hadClientsBit()).isEqualTo(length % 2 == 0);
          assertThat(SliceLists.drain(plain)).isEqualTo(value);
        }
      }
      assertThat(compressed(text(Math.max(length, 100)), algorithm, false).length)
          .isLessThan(Math.max(length, 100));
    }
  }

  /** As where the directory for temporary files does not let libraries be executed. */
  @Test
  void shouldNotRestoreWhatALibraryIsNeededForThatCannotBeLoaded() {
    byte[] value = text(1000);
    AtomicInteger attempts = new AtomicInteger();
    Compressor without =
        new Compressor(
            workspace,
            algorithm -> {
              if (algorithm != Algorithm.ZSTD) {
                return algorithm.codec();
              }
              attempts.incrementAndGet();
              throw new UnsatisfiedLinkError("no zstd");
            });
    try {
      assertThatThrownBy(() -> without.load(Algorithm.ZSTD)).isInstanceOf(LinkageError.class);
      attempts.set(0);
      for (int i = 0; i < 3; i++) {
        SliceList stored = SliceLists.of(compressed(value, Algorithm.ZSTD, false), 100);
        int length = stored.length();
        assertThat(without.restore(stored, Dictionaries.NONE, MIB, plain))
            .isEqualTo(Outcome.NO_LIBRARY);
        assertThat(without.algorithm()).isEqualTo(Algorithm.ZSTD);
        assertThat(stored.length()).isEqualTo(length);
        stored.clear();
      }
      assertThat(attempts).hasValue(1);
      SliceList deflated = SliceLists.of(compressed(value, Algorithm.DEFLATE, false), 100);
      assertThat(without.restore(deflated, Dictionaries.NONE, MIB, plain))
          .isEqualTo(Outcome.RESTORED);
      assertThat(SliceLists.drain(plain)).isEqualTo(value);
    } finally {
      without.close();
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldTakeTheLongest(Algorithm algorithm) {
    byte[] value = text(StoredValue.MOST_BYTES);
    assertThat(restore(compressed(value, algorithm, false), MIB, value.length))
        .isEqualTo(Outcome.RESTORED);
    assertThat(SliceLists.drain(plain)).isEqualTo(value);
    SliceList noise = SliceLists.of(noise(StoredValue.MOST_BYTES), MIB);
    assertThat(compressor.compress(noise, algorithm, Dictionaries.NONE, false, Integer.MAX_VALUE))
        .isNull();
    noise.clear();
  }

  @ParameterizedTest
  @EnumSource
  void shouldStoreNothingThatIsTooLong(Algorithm algorithm) {
    SliceList value = SliceLists.of(text(1000), 300);
    ByteBuf stored = compressor.compress(value, algorithm, Dictionaries.NONE, false, 1000);
    int length = stored.readableBytes();
    stored.release();
    assertThat(compressor.compress(value, algorithm, Dictionaries.NONE, false, length - 1))
        .isNull();
    stored = compressor.compress(value, algorithm, Dictionaries.NONE, false, length);
    assertThat(stored.readableBytes()).isEqualTo(length);
    stored.release();
    value.clear();
    SliceList incompressible = SliceLists.of(noise(5000), 5000);
    assertThat(compressor.compress(incompressible, algorithm, Dictionaries.NONE, false, 5000))
        .isNull();
    incompressible.clear();
  }

  /** The layout is a promise: values written by older releases are read by newer ones. */
  @Test
  void shouldWriteTheHeadThatIsDocumented() {
    byte[] stored = compressed(new byte[1000], Algorithm.LZ4, true);
    ByteBuf head = PooledByteBufAllocator.DEFAULT.buffer().writeBytes(stored);
    assertThat(head.getInt(0)).isEqualTo(0xF853_4C7A);
    assertThat(head.getByte(4)).isEqualTo((byte) 0x82);
    assertThat(head.getUnsignedMedium(5)).isEqualTo(1000);
    assertThat(head.getUnsignedMedium(8)).isEqualTo(stored.length - 15);
    assertThat(head.getInt(11)).isEqualTo(0xD84D_DA57); // CRC32C of 1000 zeros
    head.release();
  }

  @ParameterizedTest(name = "prepended {0}, appended {1}")
  @CsvSource({"0, 0", "0, 1", "1, 0", "3, 5", "100, 2000", "5000, 7"})
  void shouldKeepWhatWasAppendedAndPrepended(int prepended, int appended) {
    byte[] value = text(3000);
    byte[] front = noise(prepended);
    byte[] behind = join(noise(appended));
    for (Algorithm algorithm : ALL) {
      byte[] stored = join(front, compressed(value, algorithm, false), behind);
      for (int size : new int[] {1, 3, 1024, 100_000}) {
        assertThat(restore(stored, size, 3000)).isEqualTo(Outcome.RESTORED);
        assertThat(SliceLists.drain(plain)).isEqualTo(join(front, value, behind));
      }
    }
    ByteBuf mark = PooledByteBufAllocator.DEFAULT.buffer();
    StoredValue.writeMark(mark);
    byte[] marked = new byte[mark.readableBytes()];
    mark.readBytes(marked).release();
    assertThat(marked).hasSize(StoredValue.MARKED_LENGTH);
    assertThat(restore(join(front, marked, value, behind), 700, 0)).isEqualTo(Outcome.RESTORED);
    assertThat(compressor.hadClientsBit()).isTrue();
    assertThat(SliceLists.drain(plain)).isEqualTo(join(front, value, behind));
  }

  @Test
  void shouldKeepAMarkInsideAValueOrBehindIt() {
    byte[] inner = compressed(text(500), Algorithm.ZSTD, false);
    byte[] outer = compressed(join(inner, inner), Algorithm.ZSTD, true);
    assertThat(restore(join(outer, inner), 50, MIB)).isEqualTo(Outcome.RESTORED);
    assertThat(SliceLists.drain(plain)).isEqualTo(join(inner, inner, inner));
    SliceList value = SliceLists.of(join(noise(100), inner), 7);
    assertThat(compressor.holdsMark(value)).isTrue();
    value.clear();
    value = SliceLists.of(text(1000), 7);
    assertThat(compressor.holdsMark(value)).isFalse();
    value.clear();
  }

  @ParameterizedTest
  @EnumSource
  void shouldFindEveryDamage(Algorithm algorithm) {
    byte[] value = text(400);
    byte[] stored = compressed(value, algorithm, false);
    for (int cut = 4; cut < stored.length; cut++) {
      assertThat(restore(Arrays.copyOf(stored, cut), 64, MIB)).isEqualTo(Outcome.CORRUPT);
    }
    for (int bit = 32; bit < 8 * stored.length; bit++) {
      if (bit == 39) {
        continue; // whose flag it was: not about the bytes
      }
      byte[] damaged = stored.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      Outcome outcome = restore(damaged, 64, MIB);
      if (outcome == Outcome.RESTORED) {
        // bits that an algorithm does not use: then it is the same value all the same
        assertThat(SliceLists.drain(plain)).isEqualTo(value);
      } else {
        assertThat(outcome).isIn(Outcome.CORRUPT, Outcome.TOO_LONG);
      }
    }
    assertThat(plain.length()).isZero();
  }

  @Test
  void shouldTellForeignValuesFromDamagedOnes() {
    assertThat(restore(text(1000), 100, MIB)).isEqualTo(Outcome.FOREIGN);
    assertThat(restore(new byte[0], 100, MIB)).isEqualTo(Outcome.FOREIGN);
    assertThat(restore(new byte[] {(byte) 0xF8, 'S', 'L'}, 100, MIB)).isEqualTo(Outcome.FOREIGN);
    assertThat(restore(new byte[] {(byte) 0xF8, 'S', 'L', 'z', 0x0F}, 1, MIB))
        .isEqualTo(Outcome.CORRUPT);
    assertThat(
            restore(
                new byte[] {(byte) 0xF8, 'S', 'L', 'z', 4, 0, 0, 9, 0, 0, 1, 0, 0, 0, 0, 9},
                1,
                MIB))
        .isEqualTo(Outcome.CORRUPT);
  }

  @ParameterizedTest
  @EnumSource
  void shouldBeUnimpressedByBombs(Algorithm algorithm) {
    byte[] bomb = compressed(new byte[StoredValue.MOST_BYTES], algorithm, false);
    workspace.scratch().release();
    assertThat(restore(bomb, 65_536, MIB)).isEqualTo(Outcome.TOO_LONG);
    assertThat(workspace.scratch().capacity()).isZero();
    bomb[5] = 0; // says that it becomes 64 KiB
    assertThat(restore(bomb, 65_536, MIB)).isEqualTo(Outcome.CORRUPT);
    assertThat(workspace.scratch().capacity()).isLessThan(bomb.length + 100_000);
  }

  @Test
  void shouldWorkInTheScratchAloneAndCopyOut() {
    byte[] value = text(100_000);
    byte[] stored = compressed(value, Algorithm.ZSTD, false);
    int capacity = workspace.scratch().capacity();
    assertThat(restore(stored, 65_536, MIB)).isEqualTo(Outcome.RESTORED);
    assertThat(workspace.scratch().capacity()).isEqualTo(capacity);
    assertThat(plain.count()).isEqualTo(1);
    workspace.scratch().buffer(1).setZero(0, capacity);
    assertThat(SliceLists.drain(plain)).isEqualTo(value);
    workspace.scratch().releaseIfIdle();
    workspace.scratch().releaseIfIdle();
    assertThat(workspace.scratch().capacity()).isZero();
    assertThat(restore(stored, 65_536, MIB)).isEqualTo(Outcome.RESTORED);
  }

  /** Prepended one after the other, they may form a mark that no single one of them contains. */
  @ParameterizedTest
  @EnumSource
  void shouldRestoreBehindMarksOfPrependedBytes(Algorithm algorithm) {
    byte[] value = text(500);
    byte[] stored = compressed(value, algorithm, false);
    byte[] mark = {(byte) 0xF8, 'S', 'L', 'z'};
    byte[] likeStored = Arrays.copyOf(stored, StoredValue.HEAD_LENGTH);
    byte[] ofAnotherDictionary = Arrays.copyOf(likeStored, StoredValue.DICTIONARY_HEAD_LENGTH);
    ofAnotherDictionary[4] = 4;
    ofAnotherDictionary[StoredValue.HEAD_LENGTH] = 7;
    for (byte[] before : List.of(mark, join(mark, mark), likeStored, ofAnotherDictionary)) {
      assertThat(restore(join(before, stored), 7, value.length)).isEqualTo(Outcome.RESTORED);
      assertThat(SliceLists.drain(plain)).isEqualTo(join(before, value));
    }
    SliceList pieces = SliceLists.of(join(mark, stored), 7);
    assertThat(compressor.restoredLength(pieces)).isEqualTo(mark.length + value.length);
    pieces.clear();
  }

  /** Each of them takes as long as a good value, and the client gets none of it. */
  @ParameterizedTest
  @EnumSource
  void shouldNotTryManyDamagedValuesInOne(Algorithm algorithm) {
    byte[] value = text(1000);
    byte[] stored = compressed(value, algorithm, false);
    byte[] damaged = stored.clone();
    damaged[StoredValue.HEAD_LENGTH - 1]++; // of the checksum
    assertThat(restore(join(damaged, stored), 100, 1000)).isEqualTo(Outcome.RESTORED);
    assertThat(SliceLists.drain(plain)).isEqualTo(join(damaged, value));
    assertThat(compressor.takeDecompressed()).isEqualTo(2000);
    assertThat(restore(join(damaged, damaged, stored), 100, 1000)).isEqualTo(Outcome.CORRUPT);
    assertThat(compressor.takeDecompressed()).isEqualTo(2000);
    assertThat(restore(join(damaged, damaged, stored), 100, 2000)).isEqualTo(Outcome.RESTORED);
    plain.clear();
    assertThat(compressor.takeDecompressed()).isEqualTo(3000);
    assertThat(compressor.takeDecompressed()).isZero();
  }

  /** Otherwise they would be charged for the next value. */
  @Test
  void shouldForgetTheBytesOfAValueWhoseRestoringEndsWithAnException() {
    Compressor failing = new Compressor(workspace, algorithm -> new FailingCodec());
    SliceList stored = SliceLists.of(compressed(text(1000), Algorithm.DEFLATE, false), 100);
    try {
      assertThatThrownBy(() -> failing.restore(stored, Dictionaries.NONE, MIB, plain))
          .isInstanceOf(IllegalStateException.class);
      assertThat(failing.takeDecompressed()).isZero();
    } finally {
      stored.clear();
      failing.close();
    }
  }

  private static final class FailingCodec implements BlockCodec {
    @Override
    public int bound(int length) {
      return length;
    }

    @Override
    public int compress(Scratch scratch, int from, int length, int to, int room) {
      throw new IllegalStateException();
    }

    @Override
    public int decompress(Scratch scratch, int from, int length, int to, int room) {
      throw new IllegalStateException();
    }

    @Override
    public void close() {}
  }

  /** Bytes without a checksum do not stand for a value that is damaged. */
  @Test
  void shouldNotTakeAppendedBytesForADamagedValue() {
    byte[] damaged = compressed(text(500), Algorithm.LZ4, false);
    damaged[damaged.length - 1]++;
    byte[] plainForm = {(byte) 0xF8, 'S', 'L', 'z', (byte) 0x8F, 'x'};
    assertThat(restore(join(damaged, plainForm), 100, 500)).isEqualTo(Outcome.CORRUPT);
  }

  @FuzzTest(maxDuration = "60s")
  void shouldRestoreAnything(byte[] bytes) {
    if (bytes.length == 0) {
      return;
    }
    byte[] head = {(byte) 0xF8, 'S', 'L', 'z', (byte) (bytes[0] & 0x8F), 0};
    byte[] stored = bytes[0] % 3 == 0 ? bytes : join(head, bytes);
    Outcome outcome = restore(stored, 1 + (bytes[0] & 0x3F), 100_000);
    assertThat(plain.length() == 0 || outcome == Outcome.RESTORED).isTrue();
    assertThat(workspace.scratch().capacity()).isLessThan(300_000);
    plain.clear();
    if (bytes.length < 100_000) {
      Algorithm algorithm = ALL.get(Math.floorMod(bytes[0], 3));
      assertThat(restore(compressed(bytes, algorithm, false), 100, bytes.length))
          .isEqualTo(Outcome.RESTORED);
      assertThat(SliceLists.drain(plain)).isEqualTo(bytes);
    }
  }

  @Test
  void shouldRestoreRandomBytes() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    byte[] whole = compressed(text(2000), ALL.get(random.nextInt(3)), false);
    try {
      for (int round = 0; round < 200; round++) {
        byte[] bytes = new byte[1 + random.nextInt(200)];
        random.nextBytes(bytes);
        shouldRestoreAnything(bytes);
        byte[] damaged = whole.clone();
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
        shouldRestoreAnything(damaged);
      }
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("seed " + seed, e);
    }
  }
}
