package sluice.codecs.memcached.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.codecs.Ascii;

class MetaLineTest {
  private final TextLine line = new TextLine();
  private final MetaLine meta = new MetaLine();

  private MetaLine read(String text, int first) {
    return meta.read(line.wrap(Ascii.buffer(text), 0, text.length()), first);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "mg k,             -1, -1, false, false",
    "mg k v,           -1, -1, false, false",
    "mg k q,           -1,  2, false, false",
    "mg k v q Oabc k,   4,  3, false, true",
    "mg Zm9v b k O1,    4, -1, true,  true",
    "mg q O k b s,      2, -1, true,  true"
  })
  void shouldFindTheFlagsBehindTheKey(
      String text, int opaque, int quiet, boolean base64, boolean returnsKey) {
    read(text, 2);
    assertThat(meta.opaque()).isEqualTo(opaque);
    assertThat(meta.quiet()).isEqualTo(quiet);
    assertThat(meta.base64()).isEqualTo(base64);
    assertThat(meta.returnsKey()).isEqualTo(returnsKey);
    assertThat(meta.isClean()).isTrue();
  }

  @Test
  void shouldNotTakeTheLengthOfADataBlockForAFlag() {
    read("ms q 5 q", 3);
    assertThat(meta.quiet()).isEqualTo(3);
    assertThat(meta.isClean()).isTrue();
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(
      strings = {
        "mg k q q",
        "mg k O1 O2",
        "mg k O1 v O1",
        "mg k O12345678901234567890123456789012",
        "mg k v v",
        "mg k y",
        "mg k 5",
        "mg k \0",
        "mg k \u00ef",
        "mg k b c f h k l s t v u E1 F1 MS D1 J1 I x O1"
      })
  void shouldNotCallALineCleanThatTheServerRefuses(String text) {
    assertThat(read(text, 2).isClean()).isFalse();
  }

  @Test
  void shouldCallTheLongestOpaqueClean() {
    assertThat(read("mg k O" + "x".repeat(StorageLine.MAX_OPAQUE), 2).isClean()).isTrue();
  }

  @Test
  void shouldBeExtendableWhileTheServerHasRoomForOneTokenMore() {
    String line17 = "mg k" + " v".repeat(15);
    assertThat(read(line17, 2).isExtendable()).isTrue();
    assertThat(read(line17 + " v", 2).isExtendable()).isFalse();
  }

  @Test
  void shouldFindTheTimeToLive() {
    assertThat(read("mg k v T30 q", 2).timeToLive()).isEqualTo(3);
    assertThat(meta.leavesItem()).isFalse();
    assertThat(meta.isRead()).isTrue();
  }

  @Test
  void shouldKnowNothingOfTheLineBefore() {
    read("mg k q q O1 k b T1" + " v".repeat(20), 2);
    read("mg k v", 2);
    assertThat(meta.opaque()).isNegative();
    assertThat(meta.quiet()).isNegative();
    assertThat(meta.base64()).isFalse();
    assertThat(meta.returnsKey()).isFalse();
    assertThat(meta.isClean()).isTrue();
    assertThat(meta.isExtendable()).isTrue();
    assertThat(meta.timeToLive()).isNegative();
    assertThat(meta.leavesItem()).isTrue();
  }
}
