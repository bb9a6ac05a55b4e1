package sluice.codecs.memcached;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerVersionTest {
  @ParameterizedTest(name = "<{0}> is {1}")
  @CsvSource({
    "1.6.18, 1.6.18",
    "1.6.45, 1.6.45",
    "1.6.18_1, 1.6.18",
    "1.6.18+dfsg-1, 1.6.18",
    "1.6.18.7, 1.6.18",
    "1.4, 1.4.0",
    "2, 2.0.0",
    "1.5.4-rc1, 1.5.4",
    "1.6.99999, 1.6.99999",
    "1.6.999999999999, 1.6.100000",
    "'', 1.6.18",
    "v1.6.45, 1.6.18",
    "., 1.6.18",
    "unknown, 1.6.18",
    "-1.6, 1.6.18"
  })
  void shouldReadWhatServersCallThemselves(String text, String expected) {
    String version = ServerVersion.parse(text).toString();
    if (text.endsWith("999999999999")) {
      assertThat(version).startsWith("1.6.").hasSizeLessThanOrEqualTo("1.6.999999".length());
    } else {
      assertThat(version).isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1.4.39, false, false, false",
    "1.5.22, false, false, false",
    "1.6.9,  false, false, false",
    "1.6.10, false, true,  false",
    "1.6.17, false, true,  false",
    "1.6.18, false, true,  true",
    "1.6.39, false, true,  true",
    "1.6.40, true,  true,  true",
    "1.6.45, true,  true,  true",
    "1.7.0,  true,  true,  true",
    "2.0.0,  true,  true,  true"
  })
  void shouldKnowSinceWhenServersDoWhat(
      String text, boolean readsLinesAsProxy, boolean speaksMeta, boolean echoesOpaqueOnMiss) {
    ServerVersion version = ServerVersion.parse(text);
    assertThat(version.readsLinesAsProxy()).isEqualTo(readsLinesAsProxy);
    assertThat(version.speaksMeta()).isEqualTo(speaksMeta);
    assertThat(version.echoesOpaqueOnMiss()).isEqualTo(echoesOpaqueOnMiss);
  }

  @ParameterizedTest
  @CsvSource({
    "1.5.2, false, false",
    "1.5.3, true, false",
    "1.6.44, true, false",
    "1.6.45, true, true",
  })
  void shouldKnowWhoTouchesReadsAndReadsNumbersStrictly(
      String text, boolean touchesReads, boolean readsNumbersStrictly) {
    ServerVersion version = ServerVersion.parse(text);
    assertThat(version.touchesReads()).isEqualTo(touchesReads);
    assertThat(version.readsNumbersStrictly()).isEqualTo(readsNumbersStrictly);
  }

  @ParameterizedTest
  @CsvSource({
    "1.4.25 (Ubuntu), true, 1.4.25",
    "1.5.22, true, 1.5.22",
    "1.6.18_beta, true, 1.6.18",
    "1.6.18+dfsg-1, true, 1.6.18",
    "1.6.45-3-gabcdef, true, 1.6.45",
    "1.2.8, false, 1.2.8",
    "1.8.1, false, 1.8.1",
    "2.18.0, false, 2.18.0",
    "UNKNOWN, false, 1.6.18",
    "Hazelcast, false, 1.6.18",
    "'', false, 1.6.18"
  })
  void shouldTellMemcachedFromOtherServers(String text, boolean isKnown, String numbers) {
    ServerVersion version = ServerVersion.reported(text);
    assertThat(version.isKnown()).isEqualTo(isKnown);
    assertThat(version).hasToString(numbers);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.2.8", "1.8.1", "2.18.0", "14.0.1.Final", "Hazelcast", "unknown", ""})
  void shouldExpectNothingOfAServerThatIsNotMemcached(String text) {
    ServerVersion version = ServerVersion.reported(text);
    assertThat(version.readsLinesAsProxy()).isFalse();
    assertThat(version.speaksMeta()).isFalse();
    assertThat(version.touchesReads()).isFalse();
  }

  @Test
  void shouldAssumeTheOlderReadingOfAServerThatHasNotBeenAsked() {
    assertThat(ServerVersion.UNKNOWN.readsLinesAsProxy()).isFalse();
    assertThat(ServerVersion.EMBEDDED.readsLinesAsProxy()).isTrue();
  }

  @Property
  void shouldNeverThrow(@ForAll("versionLike") String text) {
    ServerVersion version = ServerVersion.parse(text);
    assertThat(version.major()).isNotNegative();
    assertThat(version.minor()).isNotNegative();
    assertThat(version.patch()).isNotNegative();
    assertThat(ServerVersion.parse(version.toString())).isEqualByComparingTo(version);
  }

  @Property
  void shouldCompareAsNumbersAndNotAsText(
      @ForAll @IntRange(max = 99) int minor,
      @ForAll @IntRange(max = 99) int patch,
      @ForAll @IntRange(max = 99) int otherMinor,
      @ForAll @IntRange(max = 99) int otherPatch) {
    int expected = Integer.compare(minor * 100 + patch, otherMinor * 100 + otherPatch);
    assertThat(
            new ServerVersion(1, minor, patch)
                .compareTo(new ServerVersion(1, otherMinor, otherPatch)))
        .isEqualTo(expected);
  }

  @Provide
  Arbitrary<String> versionLike() {
    return Arbitraries.oneOf(
        Arbitraries.strings().ofMaxLength(40),
        Arbitraries.strings().withChars("0123456789.").ofMaxLength(30));
  }
}
