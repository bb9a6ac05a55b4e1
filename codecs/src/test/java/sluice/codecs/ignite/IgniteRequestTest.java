package sluice.codecs.ignite;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.codecs.ProtocolException;
import sluice.codecs.ignite.IgniteVectors.Step;

class IgniteRequestTest {
  private static final int CAS = 16;

  private final IgniteRequest view = new IgniteRequest();

  /** All that a node answered, or closed the connection for because it was asked to. */
  static List<Step> accepted() {
    return IgniteVectors.steps().stream()
        .filter(s -> !s.closed() || s.name().startsWith("node-quit"))
        .toList();
  }

  /** What a node closed the connection for; what is in a serialized value no header tells. */
  static List<Step> refused() {
    return IgniteVectors.steps().stream()
        .filter(s -> s.closed() && !s.name().startsWith("node-quit"))
        .filter(s -> !s.name().startsWith("node-flag-serialized-garbage"))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("accepted")
  void shouldBeWrittenAnewFromItsView(Step step) {
    ByteBuf in = Unpooled.wrappedBuffer(step.request());
    ByteBuf out = Unpooled.buffer();
    for (int at = 0; at < step.request().length; at += view.length()) {
      view.wrap(in, at);
      byte[] cache = ByteBufUtil.getBytes(in, view.cacheNameIndex(), view.cacheNameLength(), true);
      RequestHeads heads = new RequestHeads(cache);
      int start = out.writerIndex();
      switch (view.operation()) {
        case STORE ->
            heads.store(
                out,
                view.opcode(),
                view.opaque(),
                view.flags(),
                view.expiryMillis(),
                view.keyLength(),
                view.valueLength());
        case COUNT ->
            heads.count(
                out,
                view.opcode(),
                view.opaque(),
                view.delta(),
                view.initial(),
                in.getInt(at + 24 + 16),
                view.keyLength());
        default ->
            heads.other(out, view.opcode(), view.opaque(), view.keyLength(), view.valueLength());
      }
      assertThat(out.writerIndex() - start).isLessThanOrEqualTo(heads.maxLength());
      out.setLong(start + CAS, in.getLong(at + CAS)); // which nodes ignore
      out.writeBytes(in, view.keyIndex(), view.keyLength());
      out.writeBytes(in, view.valueIndex(), view.valueLength());
    }
    assertThat(ByteBufUtil.getBytes(out)).isEqualTo(step.request());
  }

  @ParameterizedTest
  @MethodSource("refused")
  void shouldBeRefusedWhereANodeClosesTheConnection(Step step) {
    byte[] header = Arrays.copyOf(step.request(), 24);
    assertThatThrownBy(() -> view.wrap(Unpooled.wrappedBuffer(header), 0))
        .isInstanceOf(ProtocolException.class);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "a key too long for 16 bits with a sign | 8000 8000 00 00 0000 00008000",
        "extras too long for 8 bits with a sign | 8001 0001 80 00 0000 00000081",
        "a key longer than the body             | 8000 0002 00 00 0000 00000001",
        "extras longer than the body            | 8001 0000 08 00 0000 00000007",
        "a body of 2 GiB                        | 8001 0001 08 00 0000 80000000",
        "a packet of 2 GiB with its header      | 8001 0001 08 00 0000 7fffffff",
        "a counter without its last extras      | 8005 0001 10 00 0000 00000011",
      })
  void shouldBeRefused(String name, String start) {
    byte[] header =
        ByteBufUtil.decodeHexDump(start.replace(" ", "") + "0000000000000000" + "00000000");
    assertThatThrownBy(() -> view.wrap(Unpooled.wrappedBuffer(header), 0))
        .isInstanceOf(ProtocolException.class);
  }

  @Test
  void shouldTellTypesExpiryAndCacheOfAStore() {
    ByteBuf out = Unpooled.buffer().writeByte(0xEE);
    byte[] cache = "\u00e9t\u00e9".getBytes(UTF_8);
    new RequestHeads(cache).store(out, 0x11, -2, 0x0200_0800, -5, 4, 1);
    out.writeInt(77).writeByte('v');
    view.wrap(out, 1);
    assertThat(view.operation()).isEqualTo(IgniteOperation.STORE);
    assertThat(view.opcode()).isEqualTo(0x11);
    assertThat(view.opaque()).isEqualTo(-2);
    assertThat(view.flags()).isEqualTo(0x0200_0800);
    assertThat(out.getInt(view.keyIndex())).isEqualTo(77);
    assertThat(view.keyLength()).isEqualTo(4);
    assertThat(view.expiryMillis()).isEqualTo(-5);
    assertThat(out.toString(view.cacheNameIndex(), view.cacheNameLength(), UTF_8))
        .isEqualTo("\u00e9t\u00e9");
    assertThat(view.valueIndex()).isEqualTo(out.writerIndex() - 1);
    assertThat(view.length()).isEqualTo(out.writerIndex() - 1);
  }

  @Test
  void shouldHaveNoRoomForALongerCacheName() {
    assertThat(new RequestHeads(new byte[119]).maxLength()).isEqualTo(24 + 20 + 119);
    assertThatThrownBy(() -> new RequestHeads(new byte[120]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected at most 119");
  }

  @FuzzTest(maxDuration = "30s")
  void shouldTakeAnyHeadersApartOrRefuseThem(byte[] bytes) {
    if (bytes.length < 24) {
      return;
    }
    ByteBuf in = Unpooled.wrappedBuffer(bytes);
    try {
      view.wrap(in, 0);
      assertThat(view.length()).isBetween(24, Integer.MAX_VALUE);
      assertThat(view.valueLength()).isGreaterThanOrEqualTo(0);
      assertThat(view.cacheNameIndex()).isBetween(24, view.keyIndex());
      assertThat(view.valueIndex() + view.valueLength()).isEqualTo(view.length());
    } catch (ProtocolException expected) {
      assertThat(expected).hasMessageMatching("(a|an|extras|opcode) .*");
    }
    try {
      IgniteResponse response = new IgniteResponse().wrap(in, 0);
      assertThat(response.valueLength()).isGreaterThanOrEqualTo(0);
      assertThat(response.valueIndex() + response.valueLength()).isEqualTo(response.length());
    } catch (ProtocolException expected) {
      assertThat(expected).hasMessageMatching("(a|extras) .*");
    }
  }
}
