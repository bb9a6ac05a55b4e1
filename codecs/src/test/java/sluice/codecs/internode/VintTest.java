package sluice.codecs.internode;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class VintTest {
  @Test
  @SuppressWarnings("unchecked")
  void shouldWriteAndReadWhatCassandraDoes() {
    List<List<String>> table = (List<List<String>>) Vectors.json("synthetic/vint.json");
    assertThat(table).hasSizeGreaterThan(20);
    for (List<String> row : table) {
      long value = Long.parseLong(row.get(0));
      ByteBuf out = Unpooled.buffer();
      Vint.write(out, value);
      assertThat(ByteBufUtil.hexDump(out)).as(row.get(0)).isEqualTo(row.get(1));
      assertThat(Vint.encodedLength(value)).isEqualTo(out.readableBytes());
      assertThat(Vint.lengthOf(out.getByte(0))).isEqualTo(out.readableBytes());
      assertThat(Vint.get(out, 0)).isEqualTo(value);
    }
  }

  @Property
  void shouldReadWhatItWroteAnywhere(@ForAll long value, @ForAll byte around) {
    for (int shift = 0; shift < 64; shift++) {
      ByteBuf out = Unpooled.buffer().writeByte(around);
      Vint.write(out, value >>> shift);
      int length = out.readableBytes() - 1;
      out.writeByte(around);
      assertThat(Vint.get(out, 1)).isEqualTo(value >>> shift);
      assertThat(Vint.lengthOf(out.getByte(1))).isEqualTo(length);
      Vint.set(out, 1, value >>> shift);
      assertThat(Vint.get(out, 1)).isEqualTo(value >>> shift);
      assertThat(out.getByte(1 + length)).isEqualTo(around);
    }
  }

  @Test
  void shouldReadEncodingsThatAreLongerThanNeeded() {
    ByteBuf in = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump("c0001cf00000001c"));
    assertThat(Vint.get(in, 0)).isEqualTo(28);
    assertThat(Vint.get(in, 3)).isEqualTo(28);
  }
}
