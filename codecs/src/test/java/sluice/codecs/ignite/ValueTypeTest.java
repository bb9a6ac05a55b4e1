package sluice.codecs.ignite;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ValueTypeTest {
  @ParameterizedTest
  @CsvSource({
    "0000,STRING", "0002,STRING", "0900,STRING", "ff00,STRING", "0100,BOOLEAN", "0200,INTEGER",
    "0202,INTEGER", "0300,LONG", "0400,DATE", "0500,BYTE", "0600,FLOAT", "0700,DOUBLE",
    "0800,BYTES", "0802,BYTES", "0001,SERIALIZED", "0801,SERIALIZED", "0003,SERIALIZED"
  })
  void shouldBeWhatANodeTakesTheFlagsFor(String flags, ValueType type) {
    assertThat(ValueType.of(Integer.parseInt(flags, 16))).isEqualTo(type);
  }
}
