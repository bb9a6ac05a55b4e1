package sluice.codecs.ignite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Date;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@SuppressWarnings("JavaUtilDate") // one of Ignite's types
class ValueTypeTest {
  private static ByteBuf hex(String text) {
    return Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(text));
  }

  @ParameterizedTest
  @CsvSource({
    "0000,STRING", "0002,STRING", "0900,STRING", "ff00,STRING", "0100,BOOLEAN", "0200,INTEGER",
    "0202,INTEGER", "0300,LONG", "0400,DATE", "0500,BYTE", "0600,FLOAT", "0700,DOUBLE",
    "0800,BYTES", "0802,BYTES", "0001,SERIALIZED", "0801,SERIALIZED", "0003,SERIALIZED"
  })
  void shouldBeWhatANodeTakesTheFlagsFor(String flags, ValueType type) {
    assertThat(ValueType.of(Integer.parseInt(flags, 16))).isEqualTo(type);
  }

  @Test
  void shouldReadNumbersOfFewerBytesFromTheRight() {
    assertThat(ValueType.INTEGER.read(hex("2a"), 0, 1)).isEqualTo(42);
    assertThat(ValueType.INTEGER.read(hex("00ffffffff"), 1, 4)).isEqualTo(-1);
    assertThat(ValueType.LONG.read(hex("ffff"), 0, 2)).isEqualTo(65535L);
    assertThat(ValueType.DATE.read(hex("018bcfe56800"), 0, 6)).isEqualTo(new Date(1700000000000L));
    assertThat(ValueType.BYTE.read(hex("80"), 0, 1)).isEqualTo((byte) -128);
    assertThat(ValueType.FLOAT.read(hex("3fc00000"), 0, 4)).isEqualTo(1.5f);
    assertThat(ValueType.DOUBLE.read(hex("3ff8000000000000"), 0, 8)).isEqualTo(1.5);
    assertThat(ValueType.BOOLEAN.read(hex("31"), 0, 1)).isEqualTo(true);
    assertThat(ValueType.BOOLEAN.read(hex("30"), 0, 1)).isEqualTo(false);
  }

  @Test
  void shouldRefuseNumbersOfMoreBytesOrNone() {
    assertThatThrownBy(() -> ValueType.INTEGER.read(hex("0000000001"), 0, 5))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> ValueType.BOOLEAN.read(hex("00"), 0, 0))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void shouldLeaveAloneWhatIsSerialized() {
    assertThat((byte[]) ValueType.SERIALIZED.read(hex("aced0005"), 0, 4))
        .isEqualTo(ByteBufUtil.decodeHexDump("aced0005"));
  }
}
