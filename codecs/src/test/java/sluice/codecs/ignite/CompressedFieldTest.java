package sluice.codecs.ignite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.Random;
import java.util.zip.Deflater;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.codecs.ProtocolException;
import sluice.codecs.compress.Scratch;

class CompressedFieldTest {
  private static final int TYPE = 5000;
  private static final int LIMIT = 1 << 20;

  private final Scratch scratch = new Scratch(UnpooledByteBufAllocator.DEFAULT);
  private final CompressedFieldWriter writer =
      new CompressedFieldWriter(TYPE, Deflater.BEST_SPEED, scratch);
  private final CompressedFieldReader reader = new CompressedFieldReader(TYPE);
  private final ByteBuf out = Unpooled.directBuffer();
  private final ByteBuf read = Unpooled.directBuffer();

  @AfterEach
  void close() {
    writer.close();
    reader.close();
    scratch.release();
    out.release();
    read.release();
  }

  @ParameterizedTest
  @ValueSource(ints = {30, 500})
  void shouldReadTheRecordedFieldWhereverItIsCut(int entries) {
    byte[] field = IgniteVectors.bytes("direct-map" + entries + "-compressed.bin");
    byte[] raw = IgniteVectors.bytes("direct-map" + entries + "-raw.bin");
    ByteBuf in = Unpooled.wrappedBuffer(field, new byte[1]);
    for (int cut = 0; cut < field.length; cut++) {
      assertThat(reader.read(in.slice(), 0, cut, read, LIMIT)).isEqualTo(-1);
    }
    assertThat(read.readableBytes()).isZero();
    ByteBuf whole = Unpooled.wrappedBuffer(field);
    assertThat(reader.read(whole, 0, field.length, read, raw.length)).isEqualTo(field.length);
    assertThat(ByteBufUtil.getBytes(read)).isEqualTo(raw);
  }

  @ParameterizedTest
  @ValueSource(ints = {30, 500, 30})
  void shouldWriteAFieldThroughTheScratch(int entries) {
    Maps.write(writer.begin(Maps.maxLength(entries)), entries);
    writer.end(out);
    byte[] recorded = IgniteVectors.bytes("direct-map" + entries + "-compressed.bin");
    int prefix = entries == 30 ? 4 : 5;
    assertThat(ByteBufUtil.hexDump(out, 0, prefix))
        .isEqualTo(ByteBufUtil.hexDump(recorded, 0, prefix));
    assertThat(reader.read(out, 0, out.writerIndex(), read, LIMIT)).isEqualTo(out.writerIndex());
    assertThat(ByteBufUtil.getBytes(read))
        .isEqualTo(IgniteVectors.bytes("direct-map" + entries + "-raw.bin"));
  }

  @Test
  void shouldWriteAndReadFieldsOfAnySize() {
    Random random = new Random(28836);
    for (int size : new int[] {0, 1, 100, 126, 127, 128, 10_239, 10_240, 10_241, 50_000, 200_000}) {
      for (boolean compressible : new boolean[] {false, true}) {
        ByteBuf raw = Unpooled.directBuffer(size);
        for (int i = 0; i < size; i++) {
          raw.writeByte(compressible ? i / 100 : random.nextInt());
        }
        out.clear().writeByte(0xEE);
        read.clear();
        writer.write(raw, 0, size, out);
        int end = out.writerIndex();
        out.writeByte(0xEE);
        assertThat(reader.read(out, 1, end + 1, read, size)).isEqualTo(end);
        assertThat(ByteBufUtil.equals(read, raw)).isTrue();
        raw.release();
      }
    }
  }

  @Test
  void shouldRefuseAFieldWhoseSizeIsNotWhatItBecomes() {
    ByteBuf raw = Unpooled.directBuffer().writeZero(100_000);
    writer.write(raw, 0, 100_000, out); // about 450 bytes: 100,000 and more are believable
    int end = out.writerIndex();
    for (int size : new int[] {99_999, 100_001, 100_000 - 129, LIMIT - 1}) {
      ByteBuf lie = Unpooled.buffer().writeShortLE(TYPE);
      new MessageFields().into(lie, 5).int32(size).done();
      lie.writeBytes(out, 5, end - 5);
      assertThatThrownBy(() -> reader.read(lie, 0, lie.writerIndex(), read, LIMIT))
          .isInstanceOf(ProtocolException.class);
      assertThat(read.readableBytes()).isZero();
    }
    assertThatThrownBy(() -> reader.read(out, 0, end, read, 99_999))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("100000");
    assertThat(reader.read(out, 0, end, read, 100_000)).isEqualTo(end);
    raw.release();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0100" + "02" + "0002ff" + "01", // another type
        "8813" + "00" + "01", // a negative size
        "8813" + "ffffffff7f" + "01", // more than an integer
        "8813" + "808080808080" + "01", // an integer without end
        "8813" + "02" + "01", // a size and nothing for it
        "8813" + "02" + "02", // neither more nor end
        "8813" + "02" + "0001" + "01", // an empty chunk
        "8813" + "02" + "008350", // a chunk of more than there may be
        "8813" + "02" + "00030300" + "01" + "00", // deflated nothing
        "8813" + "02" + "0003ffff" + "01" // not deflated
      })
  void shouldRefuse(String hex) {
    ByteBuf in = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex));
    assertThatThrownBy(() -> reader.read(in, 0, in.writerIndex(), read, LIMIT))
        .isInstanceOf(ProtocolException.class);
    assertThat(read.readableBytes()).isZero();
  }

  @Test
  void shouldRefuseBytesBehindTheEndOfWhatIsCompressed() {
    ByteBuf raw = Unpooled.directBuffer().writeByte(7);
    writer.write(raw, 0, 1, out);
    raw.release();
    out.setByte(out.writerIndex() - 1, 0).writeByte(2).writeByte(9).writeByte(1); // one chunk more
    assertThatThrownBy(() -> reader.read(out, 0, out.writerIndex(), read, LIMIT))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("behind its end");
  }

  @Test
  void shouldKeepNothingButTheScratch() {
    Maps.write(writer.begin(Maps.maxLength(500)), 500);
    int capacity = scratch.capacity();
    writer.end(out);
    Maps.write(writer.begin(Maps.maxLength(30)), 30);
    writer.end(out);
    assertThat(scratch.capacity()).isEqualTo(capacity);
  }

  @FuzzTest(maxDuration = "60s")
  void shouldReadAnyFieldOrRefuseIt(byte[] bytes) {
    byte[] typed = new byte[bytes.length + 2];
    System.arraycopy(bytes, 0, typed, 2, bytes.length);
    ByteBuf in = Unpooled.wrappedBuffer(typed).setShortLE(0, TYPE);
    read.clear(); // one object gets all inputs while it is fuzzed
    try {
      int end = reader.read(in, 0, typed.length, read, 4096);
      assertThat(end).isBetween(-1, typed.length);
      assertThat(read.readableBytes()).isLessThanOrEqualTo(4096);
    } catch (ProtocolException expected) {
      assertThat(read.readableBytes()).isZero();
    }
  }
}
