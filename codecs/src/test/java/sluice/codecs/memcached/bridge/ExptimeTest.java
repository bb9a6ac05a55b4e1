package sluice.codecs.memcached.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExptimeTest {
  private static final long NOW = 1_800_000_000;

  @ParameterizedTest
  @CsvSource({
    "-2147483648, true",
    "-1, true",
    "0, false",
    "1, false",
    "2592000, false",
    "2592001, true",
    "1799999999, true",
    "1800000000, true",
    "1800000001, false",
    "4294967295, false"
  })
  void shouldKnowWhetherATimeHasPassed(long exptime, boolean passed) {
    assertThat(Exptime.hasPassed(exptime, NOW)).isEqualTo(passed);
    if (passed) {
      long binary = Exptime.ofBinary(Exptime.toBinary(exptime));
      assertThat(Exptime.hasPassed(binary, NOW)).isTrue();
    }
  }
}
