package sluice.codecs.compress;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.codecs.SliceLists;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.buffer.Slices;
import sluice.codecs.compress.Compressor.Outcome;

class DictionariesTest {
  /**
   * A dictionary of a few bytes, made by Zstandard 1.5.7; what is stored with it stays readable.
   */
  private static final ZstdDictionary USERS = ZstdDictionary.of(trained(2048, 1));

  private static final ZstdDictionary OTHERS = ZstdDictionary.of(trained(1024, 2));

  private final Workspace workspace = Workspace.of(PooledByteBufAllocator.DEFAULT);
  private final Compressor compressor = new Compressor(workspace);
  private final SliceList plain = new SliceList(new Slices());

  @AfterEach
  void close() {
    compressor.close();
    workspace.scratch().release();
    plain.clear();
  }

  private static byte[] json(Random random) {
    String name = "user" + random.nextInt(100_000);
    return String.format(
            Locale.ROOT,
            "{\"id\":%d,\"name\":\"%s\",\"email\":\"%s@example.com\",\"role\":\"%s\","
                + "\"created\":\"2026-%02d-%02dT%02d:%02d:00Z\",\"visits\":%d,\"active\":%b}",
            random.nextInt(10_000_000),
            name,
            name,
            random.nextBoolean() ? "editor" : "viewer",
            1 + random.nextInt(12),
            1 + random.nextInt(28),
            random.nextInt(24),
            random.nextInt(60),
            random.nextInt(1000),
            random.nextBoolean())
        .getBytes(UTF_8);
  }

  private static byte[] trained(int size, long seed) {
    try (DictionaryTrainer trainer = new DictionaryTrainer(PooledByteBufAllocator.DEFAULT, size)) {
      Random random = new Random(seed);
      while (add(trainer, json(random))) {}
      return trainer.train();
    }
  }

  private static boolean add(DictionaryTrainer trainer, byte[] sample) {
    SliceList slices = SliceLists.of(sample, 50);
    boolean added = trainer.add(slices);
    slices.clear();
    return added;
  }

  private byte[] compressed(byte[] value, Dictionaries dictionaries, boolean clientsBit) {
    SliceList slices = SliceLists.of(value, 100);
    ByteBuf stored =
        compressor.compress(slices, Algorithm.ZSTD, dictionaries, clientsBit, Integer.MAX_VALUE);
    slices.clear();
    byte[] bytes = new byte[stored.readableBytes()];
    stored.readBytes(bytes).release();
    return bytes;
  }

  private Outcome restore(byte[] stored, Dictionaries dictionaries) {
    SliceList slices = SliceLists.of(stored, 7);
    Outcome outcome = compressor.restore(slices, dictionaries, 1 << 20, plain);
    assertThat(slices.length()).isEqualTo(outcome == Outcome.RESTORED ? 0 : stored.length);
    slices.clear();
    return outcome;
  }

  private static Dictionaries of(ZstdDictionary... all) {
    return new Dictionaries(List.of(all));
  }

  @Test
  void shouldRestoreWithTheDictionaryThatTheValueNames() {
    Random random = new Random(3);
    for (int round = 0; round < 200; round++) {
      byte[] value = round == 0 ? new byte[] {1} : json(random);
      boolean clientsBit = random.nextBoolean();
      byte[] users = compressed(value, of(USERS), clientsBit);
      byte[] others = compressed(value, of(OTHERS, USERS), clientsBit);
      byte[] none = compressed(value, Dictionaries.NONE, clientsBit);
      for (byte[] stored : new byte[][] {users, others, none}) {
        assertThat(restore(stored, of(USERS, OTHERS))).isEqualTo(Outcome.RESTORED);
        assertThat(compressor.hadClientsBit()).isEqualTo(clientsBit);
        assertThat(SliceLists.drain(plain)).isEqualTo(value);
      }
    }
  }

  @Test
  void shouldMakeSmallValuesSmall() {
    Random random = new Random(4);
    long values = 0;
    long stored = 0;
    for (int i = 0; i < 500; i++) {
      byte[] value = json(random);
      values += value.length;
      stored += compressed(value, of(USERS), false).length;
    }
    assertThat(stored).isLessThan(values * 45 / 100);
  }

  @Test
  void shouldNameTheDictionaryThatIsMissing() {
    byte[] stored = compressed(json(new Random(5)), of(USERS), false);
    for (Dictionaries without : List.of(Dictionaries.NONE, of(OTHERS))) {
      assertThat(restore(stored, without)).isEqualTo(Outcome.UNKNOWN_DICTIONARY);
      assertThat(compressor.dictionary()).isEqualTo(USERS.id());
      assertThat(plain.length()).isZero();
    }
    byte[] head = Arrays.copyOf(stored, StoredValue.DICTIONARY_HEAD_LENGTH);
    assertThat(HexFormat.of().formatHex(head, 0, 5)).isEqualTo("f8534c7a04");
    assertThat(HexFormat.of().formatHex(head, 15, 19)).isEqualTo(String.format("%08x", USERS.id()));
  }

  @Test
  void shouldUseTheOtherAlgorithmsWithoutADictionary() {
    for (Algorithm algorithm : List.of(Algorithm.LZ4, Algorithm.DEFLATE)) {
      SliceList value = SliceLists.of("value ".repeat(100).getBytes(UTF_8), 100);
      ByteBuf stored = compressor.compress(value, algorithm, of(USERS), false, 1000);
      assertThat(stored.getByte(4)).isEqualTo((byte) algorithm.number());
      stored.release();
      value.clear();
    }
  }

  @Test
  void shouldFindEveryDamage() {
    byte[] value = json(new Random(6));
    byte[] stored = compressed(value, of(USERS), false);
    Dictionaries both = of(USERS, OTHERS);
    for (int at = 4; at < stored.length; at++) {
      for (int bit = 0; bit < 7; bit++) {
        byte[] damaged = stored.clone();
        damaged[at] ^= (byte) (1 << bit);
        Outcome outcome = restore(damaged, both);
        byte[] restored = SliceLists.drain(plain);
        if (outcome == Outcome.RESTORED) {
          assertThat(restored).as("bit %d of byte %d", bit, at).isEqualTo(value);
        }
      }
    }
    for (int length = 0; length < stored.length; length++) {
      assertThat(restore(Arrays.copyOf(stored, length), both)).isNotEqualTo(Outcome.RESTORED);
    }
  }

  @Test
  void shouldKeepWhatWasAppendedAndPrepended() {
    byte[] value = json(new Random(7));
    byte[] stored = compressed(value, of(USERS), false);
    byte[] around = new byte[stored.length + 6];
    System.arraycopy("abc".getBytes(UTF_8), 0, around, 0, 3);
    System.arraycopy(stored, 0, around, 3, stored.length);
    System.arraycopy("xyz".getBytes(UTF_8), 0, around, 3 + stored.length, 3);
    assertThat(restore(around, of(USERS))).isEqualTo(Outcome.RESTORED);
    assertThat(new String(SliceLists.drain(plain), UTF_8))
        .isEqualTo("abc" + new String(value, UTF_8) + "xyz");
  }

  @Test
  void shouldRefuseWhatIsNoDictionary() {
    byte[] damaged = trained(1024, 8);
    Arrays.fill(damaged, 8, 100, (byte) 0xFF);
    assertThatThrownBy(() -> ZstdDictionary.of(damaged))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a damaged dictionary");
    for (byte[] none : new byte[][] {{}, {1, 2, 3}, new byte[100]}) {
      assertThatThrownBy(() -> ZstdDictionary.of(none)).hasMessage("no trained dictionary");
    }
  }

  @Test
  void shouldSayThatThereAreTooFewSamples() {
    try (DictionaryTrainer trainer = new DictionaryTrainer(PooledByteBufAllocator.DEFAULT, 1024)) {
      for (int i = 0; i < DictionaryTrainer.FEWEST_SAMPLES - 1; i++) {
        assertThat(add(trainer, new byte[] {(byte) i})).isTrue();
      }
      assertThatThrownBy(trainer::train)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("99 samples, expected at least 100 to train a dictionary from");
      assertThat(add(trainer, new byte[] {1})).isTrue();
      assertThat(ZstdDictionary.of(trainer.train()).id()).isNotZero();
    }
  }

  /** Zstandard does not notice: its own id is the same. */
  @Test
  void shouldTellAShortenedDictionaryFromTheWholeOne() {
    byte[] whole = trained(1024, 9);
    ZstdDictionary cut = ZstdDictionary.of(Arrays.copyOf(whole, whole.length - 1));
    byte[] value = json(new Random(9));
    byte[] stored = compressed(value, of(cut), false);
    assertThat(restore(stored, of(ZstdDictionary.of(whole)))).isEqualTo(Outcome.UNKNOWN_DICTIONARY);
    assertThat(restore(stored, of(ZstdDictionary.of(whole), cut))).isEqualTo(Outcome.RESTORED);
    assertThat(SliceLists.drain(plain)).isEqualTo(value);
  }

  @FuzzTest(maxDuration = "60s")
  void shouldRestoreAnything(byte[] bytes) {
    byte[] head = new byte[StoredValue.DICTIONARY_HEAD_LENGTH + bytes.length];
    byte[] stored = compressed(new byte[] {1}, of(USERS), false);
    System.arraycopy(stored, 0, head, 0, StoredValue.DICTIONARY_HEAD_LENGTH);
    head[7] = 100;
    head[10] = (byte) bytes.length;
    System.arraycopy(bytes, 0, head, StoredValue.DICTIONARY_HEAD_LENGTH, bytes.length);
    Outcome outcome = restore(head, of(USERS));
    assertThat(outcome).isNotIn(Outcome.FOREIGN, Outcome.UNKNOWN_DICTIONARY);
    assertThat(plain.length() == 0 || outcome == Outcome.RESTORED).isTrue();
    plain.clear();
  }

  @Test
  void shouldRestoreRandomBytes() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    try {
      for (int round = 0; round < 500; round++) {
        byte[] bytes = new byte[1 + random.nextInt(200)];
        random.nextBytes(bytes);
        shouldRestoreAnything(bytes);
      }
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("seed " + seed, e);
    }
  }
}
