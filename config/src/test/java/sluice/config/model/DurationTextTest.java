package sluice.config.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationTextTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0 s",
    "1, 1 ms",
    "999, 999 ms",
    "1000, 1 s",
    "1500, 1500 ms",
    "20000, 20 s",
    "60000, 60 s",
    "90000, 90 s",
    "120000, 2 min",
    "3600000, 60 min",
    "7200000, 2 h",
    "86400000, 24 h",
    "2592000000, 30 days"
  })
  void shouldUseTheLargestUnitThatIsExact(long millis, String text) {
    assertThat(DurationText.of(millis)).isEqualTo(text);
  }
}
