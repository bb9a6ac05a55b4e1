package sluice.codecs.ignite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.ignite.IgniteVectors.Encoded;
import sluice.codecs.ignite.IgniteVectors.Step;
import sluice.codecs.memcached.binary.Opcode;

@SuppressWarnings("JavaUtilDate") // one of Ignite's types
class ResponseEncoderTest {
  private static final Map<String, Object> VALUES = values();

  private final ResponseEncoder encoder = new ResponseEncoder();

  private static Map<String, Object> values() {
    Map<String, Object> values = new HashMap<>();
    values.put("str64", letters(64));
    values.put("str1k", letters(1024));
    byte[] bytes = new byte[8192];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (i * 31 + 7);
    }
    values.put("bytes8k", bytes);
    Map<String, Integer> map = new HashMap<>();
    for (int i = 0; i < 16; i++) {
      map.put("key-" + i, i);
    }
    values.put("objmap", map);
    values.put("bool-true", true);
    values.put("bool-false", false);
    values.put("int", 42);
    values.put("int-neg", -1);
    values.put("long", 1099511627776L);
    values.put("date", new Date(1700000000000L));
    values.put("byte", (byte) 127);
    values.put("float", 1.5f);
    values.put("double", 1.5);
    values.put("bytes0", new byte[0]);
    values.put("bytes3", new byte[] {1, 2, 3});
    values.put("str-empty", "");
    values.put("str-utf8", "\u00e9\u20ac\ud83d\ude00");
    values.put("short", (short) 5);
    values.put("char", 'x');
    values.put("incr", 13L);
    values.put("version", "2.18.0");
    values.put("stat", "0");
    values.put("intkey", "five");
    return values;
  }

  private static String letters(int length) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.append((char) ('a' + i % 26));
    }
    return text.toString();
  }

  static List<Encoded> encoded() {
    return IgniteVectors.encoded();
  }

  static List<Step> answered() {
    return IgniteVectors.steps().stream().filter(s -> s.response().length > 0).toList();
  }

  @ParameterizedTest
  @MethodSource("encoded")
  void shouldEncodeAsIgnitesParserAndChangeNothing(Encoded vector) {
    Object key = vector.name().endsWith("intkey") ? (Object) 5 : vector.key();
    Object value = VALUES.get(vector.name().substring(vector.name().indexOf('-', 7) + 1));
    if (vector.opcode() != Opcode.GET && vector.opcode() != Opcode.GETK) {
      value = VALUES.get(vector.name().substring("encode-".length()));
    }
    ResponseMessage message =
        new ResponseMessage()
            .opcode(vector.opcode())
            .status(vector.status())
            .opaque(vector.opaque())
            .key(key)
            .value(value);
    assertThat(encode(message)).isEqualTo(vector.packet());
    assertThat(encode(message)).as("once more").isEqualTo(vector.packet());
    assertThat(message.key()).isSameAs(key);
    assertThat(message.value()).isSameAs(value);
    assertThat(message.opcode()).isEqualTo(vector.opcode());
    assertThat(message.status()).isEqualTo(vector.status());
    assertThat(message.opaque()).isEqualTo(vector.opaque());
  }

  @ParameterizedTest
  @MethodSource("answered")
  void shouldWriteEachAnswerOfANodeAnewFromItsView(Step step) {
    ByteBuf in = Unpooled.wrappedBuffer(step.response());
    ByteBuf out = Unpooled.buffer();
    IgniteResponse view = new IgniteResponse();
    for (int at = 0; at < step.response().length; at += view.length()) {
      view.wrap(in, at);
      int headStart = out.writerIndex();
      encoder.head(
          out,
          view.opcode(),
          view.status(),
          view.opaque(),
          view.flags(),
          view.keyLength(),
          view.valueLength());
      assertThat(out.writerIndex() - headStart)
          .isEqualTo(ResponseEncoder.headLength(view.opcode()))
          .isEqualTo(view.keyIndex() - at);
      out.writeBytes(in, view.keyIndex(), view.keyLength());
      out.writeBytes(in, view.valueIndex(), view.valueLength());
    }
    assertThat(ByteBufUtil.getBytes(out)).isEqualTo(step.response());
  }

  @ParameterizedTest
  @MethodSource("answered")
  void shouldEncodeTheObjectsThatANodesAnswerStandsFor(Step step) {
    ByteBuf in = Unpooled.wrappedBuffer(step.response());
    ByteBuf out = Unpooled.buffer();
    IgniteResponse view = new IgniteResponse();
    for (int at = 0; at < step.response().length; at += view.length()) {
      view.wrap(in, at);
      ValueType type =
          IgniteOperation.of(view.opcode()) == IgniteOperation.COUNT
              ? ValueType.LONG
              : view.valueType();
      ResponseMessage message =
          new ResponseMessage()
              .opcode(view.opcode())
              .status(view.status())
              .opaque(view.opaque())
              .key(read(in, view.keyType(), view.keyIndex(), view.keyLength()))
              .value(read(in, type, view.valueIndex(), view.valueLength()));
      out.writeBytes(encode(message));
    }
    assertThat(ByteBufUtil.getBytes(out)).isEqualTo(step.response());
  }

  private static Object read(ByteBuf in, ValueType type, int index, int length) {
    return length == 0 ? null : type.read(in, index, length);
  }

  @Test
  void shouldSendALongArrayAsItIsAndAShortOneBehindTheHead() {
    byte[] array = new byte[SliceList.COPIED_BELOW];
    List<ByteBuf> pieces = new ArrayList<>();
    ResponseMessage message = new ResponseMessage().value(array);
    encoder.encode(message, UnpooledByteBufAllocator.DEFAULT, pieces::add);
    array[7] = 7;
    assertThat(pieces).hasSize(2);
    assertThat(pieces.get(1).getByte(7)).isEqualTo((byte) 7);
    pieces.forEach(ByteBuf::release);
    pieces.clear();
    message.value(new byte[SliceList.COPIED_BELOW - 1]);
    encoder.encode(message, UnpooledByteBufAllocator.DEFAULT, pieces::add);
    assertThat(pieces).hasSize(1);
    pieces.forEach(ByteBuf::release);
  }

  @Test
  void shouldKeepASerializedKeyApartFromASerializedValue() {
    byte[] key = encode(new ResponseMessage().opcode(Opcode.GETK).key((short) 5).value('x'));
    IgniteResponse view = new IgniteResponse().wrap(Unpooled.wrappedBuffer(key), 0);
    assertThat(view.flags()).isEqualTo(0x0001_0001);
    assertThat(view.keyLength()).isEqualTo(0x51 - 4);
    assertThat(view.valueLength()).isEqualTo(0x36 - 4);
    assertThat(key[view.valueIndex() - 1]).isEqualTo((byte) 5);
    assertThat(key[key.length - 1]).isEqualTo((byte) 'x');
  }

  @Test
  void shouldRefuseWhatCannotBeSerialized() {
    assertThatThrownBy(() -> encode(new ResponseMessage().value(new Object())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("java.lang.Object");
  }

  private byte[] encode(ResponseMessage message) {
    List<ByteBuf> pieces = new ArrayList<>();
    encoder.encode(message, UnpooledByteBufAllocator.DEFAULT, pieces::add);
    assertThat(pieces.get(0).capacity()).isEqualTo(pieces.get(0).readableBytes());
    ByteBuf all = Unpooled.wrappedBuffer(pieces.toArray(new ByteBuf[0]));
    try {
      return ByteBufUtil.getBytes(all);
    } finally {
      all.release();
    }
  }
}
