package sluice.codecs.internode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.codecs.ProtocolException;
import sluice.names.Verb;

class MessageHeaderTest {
  private static ByteBuf hex(String bytes) {
    return Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(bytes.replace(" ", "")));
  }

  @ParameterizedTest
  @CsvSource({
    "12, 06 f9592964 a710 1c 00 00 00, 6, 0, 10000, SCHEMA_PULL_REQ, 0, 0, 11, 0",
    "12, 19 f95940d6 a710 25 00 00 01 02, 25, 0, 10000, PING_REQ, 0, 0, 11, 1",
    "13, 80cb f95d8097 87d0 00 01 00 c186cd, 203, 0, 2000, MUTATION_REQ, 1, 0, 14, 100045",
    "14, 08 04 f9674649 c1d4c1 8322 01 00 47, 8, 4, 120001, TCM_COMMIT_REQ, 1, 0, 14, 71",
    "12, 01 00000000 00 f07fffffff 00 00 00, 1, 0, 0, unknown, 0, 0, 14, 0",
    "12, 01 00000000 00 00 02 02 05 02 aaaa 0e 00 01, 1, 0, 0, MUTATION_REQ, 2, 2, 16, 1",
  })
  void shouldReadEveryField(
      int version,
      String bytes,
      long id,
      long epoch,
      long expires,
      String verb,
      int flags,
      int params,
      int headerLength,
      long payloadLength) {
    ByteBuf in = hex("ee" + bytes);
    int limit = in.readableBytes();
    MessageHeader header = new MessageHeader();
    assertThat(header.parse(in, 1, limit, version)).isTrue();
    assertThat(header.id()).isEqualTo(id);
    assertThat(header.epoch()).isEqualTo(epoch);
    assertThat(header.expiresAfterMillis()).isEqualTo(expires);
    assertThat(Verb.of(header.verb()).label()).isEqualTo(verb);
    assertThat(header.flags()).isEqualTo(flags);
    assertThat(header.paramCount()).isEqualTo(params);
    assertThat(header.index()).isEqualTo(1);
    assertThat(header.headerLength()).isEqualTo(headerLength);
    assertThat(header.payloadIndex()).isEqualTo(1 + headerLength);
    assertThat(header.payloadLength()).isEqualTo(payloadLength);
    assertThat(header.messageLength()).isEqualTo(headerLength + payloadLength);
    assertThat(MessageLength.of(in, 1, limit, version)).isEqualTo(header.messageLength());
    for (int cut = 1; cut < 1 + headerLength; cut++) {
      assertThat(header.parse(in, 1, cut, version)).as("cut at " + cut).isFalse();
      assertThat(MessageLength.of(in, 1, cut, version)).isEqualTo(MessageLength.INCOMPLETE);
    }
  }

  @Test
  void shouldGoThroughParams() {
    ByteBuf in = hex("01 00000000 00 00 00 03 05 02 aabb 80c8 00 0e 01 cc 00");
    MessageHeader header = new MessageHeader();
    assertThat(header.parse(in, 0, in.readableBytes(), 12)).isTrue();
    for (int round = 0; round < 2; round++) {
      MessageParams params = header.params();
      assertThat(params.next()).isTrue();
      assertThat(params.type()).isEqualTo(5);
      assertThat(params.length()).isEqualTo(2);
      assertThat(in.getUnsignedShort(params.index())).isEqualTo(0xaabb);
      assertThat(params.next()).isTrue();
      assertThat(params.type()).isEqualTo(200);
      assertThat(params.length()).isZero();
      assertThat(params.next()).isTrue();
      assertThat(in.getUnsignedByte(params.index())).isEqualTo((short) 0xcc);
      assertThat(params.index() + 1).isEqualTo(header.paramsEnd());
      assertThat(params.next()).isFalse();
    }
    assertThat(header.paramsIndex()).isEqualTo(9);
  }

  @ParameterizedTest
  @CsvSource({
    "verb of 32 bits, 01 00000000 00 f080000000 00 00 00",
    "flags of 32 bits, 01 00000000 00 00 f080000000 00 00",
    "2^31 params, 01 00000000 00 00 00 f080000000 00",
    "2^64 - 1 params, 01 00000000 00 00 00 ffffffffffffffffff 00",
    "param of 2^31 bytes, 01 00000000 00 00 00 01 05 f080000000 00",
    "payload of 2^63 bytes, 01 00000000 00 00 00 00 ff8000000000000000",
    "payload of 2^63 - 1 bytes, 01 00000000 00 00 00 00 ff7fffffffffffffff",
  })
  void shouldRefuseLengthsThatNothingCanHave(String name, String bytes) {
    ByteBuf in = hex(bytes);
    MessageHeader header = new MessageHeader();
    assertThatThrownBy(() -> header.parse(in, 0, in.readableBytes(), 12))
        .as(name)
        .isInstanceOf(ProtocolException.class);
    if (!name.startsWith("verb") && !name.startsWith("flags")) {
      assertThatThrownBy(() -> MessageLength.of(in, 0, in.readableBytes(), 12))
          .as(name)
          .isInstanceOf(ProtocolException.class);
    }
  }

  /** A node looks for the next field where the shortest form would end. */
  @ParameterizedTest
  @CsvSource({
    "id, 8005 aabbcc7f 13 1f 00 00 00",
    "expiry, 01 00000000 8010 1f 00 00 00",
    "verb, 01 00000000 00 801f 00 00 00",
    "flags, 01 00000000 00 1f 8000 00 00",
    "param count, 01 00000000 00 1f 00 8000 00",
    "param type, 01 00000000 00 1f 00 01 8005 00 00",
    "param length, 01 00000000 00 1f 00 01 05 8000 00",
    "payload length, 01 00000000 00 1f 00 00 8001",
  })
  void shouldRefuseANumberThatIsLongerThanNeeded(String field, String bytes) {
    ByteBuf in = hex(bytes);
    assertThatThrownBy(() -> new MessageHeader().parse(in, 0, in.readableBytes(), 12))
        .as(field)
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("shortest form");
  }

  @Test
  void shouldReadLengthsOf64Bits() {
    ByteBuf in = hex("01 00000000 00 00 00 00 f90000000000");
    MessageHeader header = new MessageHeader();
    assertThat(header.parse(in, 0, in.readableBytes(), 12)).isTrue();
    assertThat(header.payloadLength()).isEqualTo(1L << 40);
  }

  @Test
  void shouldNameVerbsAndOnlyThose() {
    assertThat(Verb.of(0)).isEqualTo(Verb.MUTATION_REQ);
    assertThat(Verb.of(819)).isEqualTo(Verb.TCM_FETCH_PEER_LOG_REQ);
    assertThat(Verb.of(16383)).isEqualTo(Verb.UNUSED_CUSTOM_VERB);
    assertThat(Verb.named("TRUNCATE_REQ").id()).isEqualTo(19);
    assertThat(Verb.named("UNKNOWN")).isNull();
    for (int id : new int[] {-1, 7, 118, 1023, 1024, 16382, 16384, Integer.MAX_VALUE}) {
      assertThat(Verb.of(id)).isEqualTo(Verb.UNKNOWN);
    }
    assertThat(Verb.UNKNOWN.label()).isEqualTo("unknown");
    int known = 0;
    for (int id = 0; id < 20000; id++) {
      Verb verb = Verb.of(id);
      if (verb != Verb.UNKNOWN) {
        known++;
        assertThat(verb.id()).isEqualTo(id);
        assertThat(Verb.named(verb.label())).isEqualTo(verb);
      }
    }
    assertThat(known).isEqualTo(166);
  }
}
