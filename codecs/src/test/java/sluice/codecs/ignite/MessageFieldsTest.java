package sluice.codecs.ignite;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MessageFieldsTest {
  private final MessageFields fields = new MessageFields();
  private final ByteBuf out = Unpooled.buffer();

  @Test
  void shouldWriteEachKindOfFieldAsDirectMessageWriterDoes() {
    fields
        .into(out, 100)
        .type(1000)
        .int8(7)
        .int16(-2)
        .int32(42)
        .int32(Integer.MAX_VALUE)
        .int64(1L << 40)
        .float32(1.5f)
        .float64(2.5)
        .bool(true)
        .int16('x')
        .int32(-1)
        .int32(0)
        .int64(-1)
        .done();
    assertThat(ByteBufUtil.getBytes(out)).isEqualTo(IgniteVectors.primitives());
  }

  @ParameterizedTest
  @ValueSource(ints = {30, 500})
  void shouldWriteAMapAsDirectMessageWriterDoes(int entries) {
    fields.into(out, Maps.maxLength(entries));
    Maps.write(fields, entries);
    fields.done();
    assertThat(ByteBufUtil.getBytes(out))
        .isEqualTo(IgniteVectors.bytes("direct-map" + entries + "-raw.bin"));
  }

  @ParameterizedTest
  @CsvSource({
    "-1,00",
    "0,01",
    "126,7f",
    "127,8001",
    "16382,ff7f",
    "16383,808001",
    "9223372036854775806,ffffffffffffffff7f",
    "9223372036854775807,80808080808080808001",
    "-2,ffffffffffffffffff01",
    "72057594037927934,ffffffffffffff7f",
    "72057594037927935,808080808080808001"
  })
  void shouldWriteTheSuccessorOfALong(long value, String hex) {
    fields.into(out, MessageFields.MAX_LONG_LENGTH).int64(value).done();
    assertThat(ByteBufUtil.hexDump(out)).isEqualTo(hex);
  }

  @ParameterizedTest
  @CsvSource({"2147483647,8080808008", "-2147483648,8180808008", "-2,ffffffff0f"})
  void shouldWriteTheSuccessorOfAnInteger(int value, String hex) {
    fields.into(out, MessageFields.MAX_INT_LENGTH).int32(value).done();
    assertThat(ByteBufUtil.hexDump(out)).isEqualTo(hex);
  }

  @Test
  void shouldTellWhatIsNullFromWhatIsEmpty() {
    fields.into(out, 100).string(null).string("").bytes(null).bytes(new byte[0]);
    fields.string("\u00e9\ud83d\ude00").bytes(new byte[] {1, 2}).done();
    assertThat(ByteBufUtil.hexDump(out)).isEqualTo("00010001" + "07c3a9f09f9880" + "030102");
  }
}
