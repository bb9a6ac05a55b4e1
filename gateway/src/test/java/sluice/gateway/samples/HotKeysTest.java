package sluice.gateway.samples;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HotKeysTest {
  private final AtomicLong clock = new AtomicLong(1_000_000);
  private final HotKeys hotKeys = new HotKeys(clock::get);

  private void ask(String key, int weight) {
    Sample sample = new Sample();
    sample.listener = "cache";
    sample.weight = weight;
    byte[] bytes = key.getBytes(ISO_8859_1);
    sample.note.add(Unpooled.wrappedBuffer(bytes), 0, bytes.length, "main");
    hotKeys.add(sample);
  }

  private HotKeys.Group group() {
    assertThat(hotKeys.hottest(20).groups()).hasSize(1);
    return hotKeys.hottest(20).groups().get(0);
  }

  @Test
  void shouldCountExactlyWhileThereAreFewKeys() {
    for (int i = 0; i < 60; i++) {
      ask("a", 1);
      ask(i % 2 == 0 ? "b" : "c" + i, 1);
    }
    HotKeys.Group group = group();
    assertThat(group.requests()).isEqualTo(120);
    assertThat(group.sampled()).isEqualTo(120);
    assertThat(group.keys().get(0).key()).isEqualTo("a");
    assertThat(group.keys().get(0).share()).isEqualTo(0.5);
    assertThat(group.keys().get(1).key()).isEqualTo("b");
    assertThat(group.keys().get(1).share()).isEqualTo(0.25);
    assertThat(group.keys()).hasSize(20);
  }

  /** Whatever the traffic: a share is never further off than its error says. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void shouldFindTheHotKeysAmongManyAndKnowItsError(long seed) {
    Random random = new Random(seed);
    int requests = 100_000;
    int hot = 0;
    for (int i = 0; i < requests; i++) {
      if (i == requests / 2) {
        clock.addAndGet(HotKeys.WINDOW_MILLIS); // over both windows
      }
      if (random.nextInt(20) == 0) {
        ask("hot", 1);
        hot++;
      } else {
        ask("key" + random.nextInt(50_000), 1);
      }
    }
    HotKeys.HotKey first = group().keys().get(0);
    assertThat(first.key()).isEqualTo("hot");
    double share = (double) hot / requests;
    assertThat(share).isBetween(first.share() - first.error(), first.share() + first.error());
    assertThat(first.error()).isLessThan(0.02);
  }

  @Test
  void shouldWeighWhatStandsForMany() {
    for (int i = 0; i < 100; i++) {
      ask("rare", 1);
      ask("often", 3);
    }
    assertThat(group().requests()).isEqualTo(400);
    assertThat(group().keys().get(0).key()).isEqualTo("often");
    assertThat(group().keys().get(0).share()).isEqualTo(0.75);
    assertThat(group().sampled()).isEqualTo(160); // 400² / (100·1 + 100·9)
  }

  @Test
  void shouldForgetWhatIsTwoMinutesOld() {
    ask("old", 1);
    clock.addAndGet(HotKeys.WINDOW_MILLIS);
    ask("new", 1);
    assertThat(group().keys()).extracting(HotKeys.HotKey::key).containsExactly("new", "old");
    assertThat(hotKeys.hottest(20).since().toEpochMilli()).isEqualTo(1_000_000);
    clock.addAndGet(HotKeys.WINDOW_MILLIS);
    assertThat(group().keys()).extracting(HotKeys.HotKey::key).containsExactly("new");
    assertThat(hotKeys.hottest(20).since().toEpochMilli())
        .isEqualTo(1_000_000 + HotKeys.WINDOW_MILLIS);
    clock.addAndGet(HotKeys.WINDOW_MILLIS);
    assertThat(hotKeys.hottest(20).groups()).isEmpty();
    ask("again", 1);
    clock.addAndGet(5 * HotKeys.WINDOW_MILLIS);
    assertThat(hotKeys.hottest(20).groups()).isEmpty();
  }

  @Test
  void shouldForgetPoolsThatAreGone() {
    ask("a", 1);
    hotKeys.keepOnly(Set.of("main", "other"));
    assertThat(group().keys()).extracting(HotKeys.HotKey::key).containsExactly("a");
    hotKeys.keepOnly(Set.of("other"));
    assertThat(hotKeys.hottest(20).groups()).isEmpty();
    ask("b", 1);
    assertThat(group().keys()).extracting(HotKeys.HotKey::key).containsExactly("b");
  }

  @ParameterizedTest
  @CsvSource({"user:1, user:1", "\u00e4\t\u007f, \\xe4\\x09\\x7f", "a\\b, a\\\\b", "'a b', 'a b'"})
  void shouldWriteAnyKeyAsPrintableText(String key, String text) {
    assertThat(KeyText.of(key)).isEqualTo(text);
    byte[] bytes = key.getBytes(ISO_8859_1);
    assertThat(KeyText.of(bytes, bytes.length)).isEqualTo(text);
  }
}
