package sluice.codecs.memcached.binary;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

class BinaryHeaderTest {
  // A getk whose every field has its top bit set, one byte into the buffer.
  private static final String HEADER = "800c8001880081028fffffff8aadbeeffedcba9876543210";

  private static ByteBuf header() {
    return Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump("ee" + HEADER));
  }

  @Test
  void shouldReadEveryFieldUnsignedAtAnyOffset() {
    ByteBuf in = header();
    assertThat(BinaryHeader.magic(in, 1)).isEqualTo(BinaryHeader.REQUEST_MAGIC);
    assertThat(BinaryHeader.opcode(in, 1)).isEqualTo(Opcode.GETK);
    assertThat(BinaryHeader.keyLength(in, 1)).isEqualTo(0x8001);
    assertThat(BinaryHeader.extrasLength(in, 1)).isEqualTo(0x88);
    assertThat(BinaryHeader.status(in, 1)).isEqualTo(0x8102);
    assertThat(BinaryHeader.bodyLength(in, 1)).isEqualTo(0x8fffffffL);
    assertThat(BinaryHeader.opaque(in, 1)).isEqualTo(0x8aadbeef);
    assertThat(BinaryHeader.cas(in, 1)).isEqualTo(0xfedcba9876543210L);
    assertThat(BinaryHeader.keyStart(in, 1)).isEqualTo(1 + 24 + 0x88);
    assertThat(in.readerIndex()).isZero();
  }

  @Test
  void shouldOverwriteOpcodeAndOpaqueAndNothingElse() {
    ByteBuf in = header();
    BinaryHeader.setOpcode(in, 1, Opcode.GATKQ);
    BinaryHeader.setOpaque(in, 1, 0x81020304);
    assertThat(ByteBufUtil.hexDump(in))
        .isEqualTo("ee" + "80248001880081028fffffff81020304fedcba9876543210");
  }

  @Test
  void shouldWriteAResponse() {
    ByteBuf out = Unpooled.buffer(1);
    BinaryHeader.writeResponse(
        out, Opcode.GATK, 0x8001, 4, Opcode.STATUS_TEMPORARY_FAILURE, 0x01020304, -2, -3);
    assertThat(ByteBufUtil.hexDump(out))
        .isEqualTo("81238001040000860102030" + "4fffffffefffffffffffffffd");
    assertThat(out.writerIndex()).isEqualTo(BinaryHeader.LENGTH);
  }
}
