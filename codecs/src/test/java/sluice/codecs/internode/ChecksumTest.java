package sluice.codecs.internode;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ChecksumTest {
  @Test
  @SuppressWarnings("unchecked")
  void shouldSumHeadersAsCassandraDoes() {
    List<Map<String, Object>> table =
        (List<Map<String, Object>>) Vectors.json("synthetic/crc24.json");
    assertThat(table).isNotEmpty();
    for (Map<String, Object> row : table) {
      long value = Long.parseLong(row.get("value").toString(), 16);
      int crc24 = row.get("bytes").equals(3) ? Crc24.of3((int) value) : Crc24.of5(value);
      assertThat("%06x".formatted(crc24)).as(row.toString()).isEqualTo(hex(row.get("crc24"), 6));
    }
  }

  /** The manifest has no types: what looks like a number is one. */
  private static String hex(Object value, int digits) {
    String text = value.toString();
    return "0".repeat(Math.max(0, digits - text.length())) + text;
  }

  @Test
  @SuppressWarnings("unchecked")
  void shouldSumPayloadsAsCassandraDoes() {
    List<Map<String, Object>> table =
        (List<Map<String, Object>>) Vectors.json("synthetic/crc32.json");
    assertThat(table).isNotEmpty();
    for (Map<String, Object> row : table) {
      ByteBuf bytes = Unpooled.wrappedBuffer(row.get("ascii").toString().getBytes(US_ASCII));
      int crc32 = new FrameCrc32().of(bytes, 0, bytes.readableBytes());
      assertThat("%08x".formatted(crc32)).as(row.toString()).isEqualTo(hex(row.get("crc32"), 8));
    }
  }

  @Test
  void shouldSumABufferInPiecesAsOneInOne() {
    byte[] digits = "123456789".getBytes(US_ASCII);
    FrameCrc32 crc = new FrameCrc32();
    for (int cut = 0; cut <= digits.length; cut++) {
      ByteBuf direct = PooledByteBufAllocator.DEFAULT.directBuffer();
      direct.writeBytes(digits, cut, digits.length - cut);
      ByteBuf pieces =
          Unpooled.compositeBuffer()
              .addComponent(true, Unpooled.copiedBuffer(digits, 0, cut))
              .addComponent(true, direct);
      assertThat(crc.of(pieces, 0, digits.length)).isEqualTo(0xe2a261a7);
      assertThat(crc.reset().update(pieces, 0, cut).update(direct, 0, digits.length - cut).value())
          .isEqualTo(0xe2a261a7);
      pieces.release();
    }
  }
}
