package sluice.codecs.internode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.codecs.ProtocolException;

class HandshakeTest {
  private static List<Vectors.Vector> initiates() {
    return Vectors.ALL.stream().filter(v -> v.initiate().containsKey("min")).toList();
  }

  private static List<String> accepts() {
    return Vectors.ALL.stream()
        .map(Vectors.Vector::file)
        .filter(file -> file.startsWith("handshake/handshake-accept"))
        .toList();
  }

  private static List<Vectors.Vector> replies() {
    return Vectors.ALL.stream().filter(v -> v.reply() != null).toList();
  }

  @ParameterizedTest
  @MethodSource("initiates")
  void shouldReadAndWriteWhatInitiatorsAsk(Vectors.Vector vector) {
    ByteBuf in = Unpooled.wrappedBuffer(vector.bytes());
    Map<String, Object> expected = vector.initiate();
    int length = Initiate.length(in, 0, in.readableBytes());
    assertThat(length).isEqualTo(expected.get("length"));
    for (int cut = 0; cut < length; cut++) {
      assertThat(Initiate.length(in, 0, cut)).isIn(Initiate.INCOMPLETE, length);
    }
    Initiate initiate = new Initiate().wrap(in, 0);
    assertThat(initiate.length()).isEqualTo(length);
    assertThat(initiate.isLegacy()).isFalse();
    assertThat(initiate.minVersion()).isEqualTo(expected.get("min"));
    assertThat(initiate.maxVersion()).isEqualTo(expected.get("max"));
    assertThat(initiate.framing().name()).isEqualTo(expected.get("framing"));
    InetSocketAddress from = initiate.from();
    assertThat(NodeAddress.port(in, initiate.addressIndex())).isEqualTo(initiate.from().getPort());
    assertThat(expected.get("from").toString()).endsWith(":" + initiate.from().getPort());
    if (from.getAddress().getAddress().length == 4) {
      assertThat(from.getAddress().getHostAddress() + ":" + from.getPort())
          .isEqualTo(expected.get("from"));
    }
    String type = initiate.isStreaming() ? "STREAMING" : initiate.type() + "_MESSAGES";
    assertThat(type).isEqualTo(expected.get("type"));

    ByteBuf out = Unpooled.buffer();
    int max = initiate.maxVersion();
    int min = initiate.minVersion();
    if (initiate.isStreaming()) {
      Initiate.writeStreaming(out, min, initiate.requestedVersion(), max, from);
    } else {
      Initiate.writeMessaging(
          out, initiate.type(), initiate.framing(), min, initiate.requestedVersion(), max, from);
    }
    assertThat(ByteBufUtil.hexDump(out)).isEqualTo(ByteBufUtil.hexDump(in, 0, length));
  }

  @Test
  void shouldTurnOneHandshakeIntoAnother() {
    String name = "handshake/handshake-initiate-v12to%d-%s-%s-ipv4.bin";
    for (String type : List.of("urgent", "small", "large")) {
      for (Framing framing : Framing.values()) {
        ByteBuf in = Vectors.buffer(name.formatted(13, type, "crc"));
        ByteBuf expected =
            Vectors.buffer(name.formatted(12, type, framing.name().toLowerCase(Locale.ROOT)));
        Initiate initiate = new Initiate().wrap(in, 0);
        initiate.setFraming(framing);
        initiate.setMaxVersion(12);
        assertThat(ByteBufUtil.hexDump(in)).isEqualTo(ByteBufUtil.hexDump(expected));
        assertThat(new Initiate().wrap(in, 0).framing()).isEqualTo(framing);
      }
    }
  }

  @Test
  void shouldPutAnotherAddressInPlace() {
    ByteBuf in = Vectors.buffer("handshake/handshake-initiate-v12to12-small-crc-ipv4.bin");
    InetSocketAddress other =
        new InetSocketAddress(NodeAddress.ofBytes(new byte[] {10, 1, 2, 3}), 65535);
    new Initiate().wrap(in, 0).setFrom(other);
    assertThat(new Initiate().wrap(in, 0).from()).isEqualTo(other);
    assertThatThrownBy(
            () ->
                new Initiate()
                    .wrap(in, 0)
                    .setFrom(new InetSocketAddress(NodeAddress.ofBytes(new byte[16]), 7000)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(new Initiate().wrap(in, 0).from()).isEqualTo(other);
  }

  @ParameterizedTest
  @MethodSource("accepts")
  void shouldReadAndWriteWhatAcceptorsAnswer(String file) {
    ByteBuf in = Vectors.buffer(file);
    assertThat(in.readableBytes()).isEqualTo(Accept.LENGTH);
    Accept.check(in, 0);
    int use = Accept.useVersion(in, 0);
    int max = Accept.maxVersion(in, 0);
    assertThat(file).contains("use" + use + "-max" + max);
    ByteBuf out = Unpooled.buffer();
    Accept.write(out, max, use);
    assertThat(ByteBufUtil.hexDump(out)).isEqualTo(ByteBufUtil.hexDump(in));
    in.setByte(5, 1);
    assertThatThrownBy(() -> Accept.check(in, 0)).isInstanceOf(ProtocolException.class);
  }

  @ParameterizedTest
  @MethodSource("replies")
  void shouldKnowWhatAcceptorsChoose(Vectors.Vector vector) {
    ByteBuf in = Vectors.buffer((String) vector.reply().get("file"));
    Accept.check(in, 0);
    int max = Accept.maxVersion(in, 0);
    assertThat(max).isEqualTo(vector.reply().get("acceptMax"));
    assertThat(Accept.useVersion(in, 0)).isEqualTo(vector.reply().get("acceptUse"));
    assertThat(Accept.choose(12, max, (int) vector.initiate().get("max")))
        .isEqualTo(Accept.useVersion(in, 0));
  }

  @ParameterizedTest
  @CsvSource({
    "negative/negative-initiate-crc.bin, CRC32",
    "negative/negative-initiate-magic.bin, magic",
    "negative/negative-initiate-framing3.bin, framing 3",
  })
  void shouldRefuseAHandshakeThatIsNone(String file, String because) {
    ByteBuf in = Vectors.buffer(file);
    assertThatThrownBy(
            () -> {
              Initiate.length(in, 0, in.readableBytes());
              new Initiate().wrap(in, 0);
            })
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining(because);
  }

  @Test
  void shouldRefuseAnAddressOfAnotherLengthAsSoonAsItIsSeen() {
    ByteBuf in = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump("ca552dfa0c0c0c1204"));
    assertThatThrownBy(() -> Initiate.length(in, 0, 9)).isInstanceOf(ProtocolException.class);
    assertThat(Initiate.length(in, 0, 8)).isEqualTo(Initiate.INCOMPLETE);
  }

  @Test
  void shouldWaitForTheRestOfAHandshake() {
    ByteBuf in = Vectors.buffer("negative/negative-initiate-truncated.bin");
    assertThat(Initiate.length(in, 0, in.readableBytes())).isGreaterThan(in.readableBytes());
  }

  @Test
  void shouldKnowLegacyHandshakes() {
    for (String framing : List.of("plain", "lz4")) {
      for (int version = 10; version <= 11; version++) {
        ByteBuf in = Vectors.buffer("synthetic/legacy-v" + version + "-" + framing + "-c2s.bin");
        assertThat(Initiate.length(in, 0, 7)).isEqualTo(Initiate.LEGACY_LENGTH);
        Initiate initiate = new Initiate().wrap(in, 0);
        assertThat(initiate.isLegacy()).isTrue();
        assertThat(initiate.length()).isEqualTo(8);
        assertThat(initiate.requestedVersion()).isEqualTo(version);
        assertThat(initiate.isLegacyCompressed()).isEqualTo(framing.equals("lz4"));
        assertThat(initiate.isStreaming()).isFalse();
        assertThatThrownBy(() -> initiate.setMaxVersion(12))
            .isInstanceOf(IllegalStateException.class);
        ByteBuf out = Unpooled.buffer();
        Initiate.writeLegacy(out, version, framing.equals("lz4"), false);
        assertThat(in.slice(0, 6)).isEqualTo(out.slice(0, 6));

        assertThat(LegacyHandshake.confirmLength(in, 8, 12)).isEqualTo(LegacyHandshake.INCOMPLETE);
        assertThat(LegacyHandshake.confirmLength(in, 8, 13)).isEqualTo(9);
        assertThat(LegacyHandshake.maxVersion(in, 8)).isEqualTo(12);
        InetAddress from = LegacyHandshake.from(in, 8);
        assertThat(from.getHostAddress()).isEqualTo("127.0.0.12");
        out.clear();
        LegacyHandshake.writeConfirm(out, 12, from);
        assertThat(out).isEqualTo(in.slice(8, 9));
      }
    }
  }

  @Test
  void shouldKnowLegacyAnswersAndAddressesOf16Bytes() {
    for (int version = 10; version <= 11; version++) {
      ByteBuf in = Vectors.buffer("handshake/legacy-accept-max" + version + ".bin");
      assertThat(LegacyHandshake.maxVersion(in, 0)).isEqualTo(version);
      ByteBuf out = Unpooled.buffer();
      LegacyHandshake.writeAccept(out, version);
      assertThat(out).isEqualTo(in);
    }
    ByteBuf in = Vectors.buffer("handshake/legacy-confirm-max12-ipv6.bin");
    assertThat(LegacyHandshake.confirmLength(in, 0, 21)).isEqualTo(21);
    ByteBuf out = Unpooled.buffer();
    LegacyHandshake.writeConfirm(out, 12, LegacyHandshake.from(in, 0));
    assertThat(out).isEqualTo(in);
    in.setByte(4, 6);
    assertThatThrownBy(() -> LegacyHandshake.confirmLength(in, 0, 21))
        .isInstanceOf(ProtocolException.class);
  }
}
