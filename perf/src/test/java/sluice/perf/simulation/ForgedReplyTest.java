package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import sluice.testkit.Opcode;

class ForgedReplyTest {
  private static String line(String requests, int bit) {
    byte[] forged = ForgedReply.to(requests.getBytes(ISO_8859_1), bit);
    return forged == null ? null : new String(forged, ISO_8859_1);
  }

  @Test
  void shouldAnswerTheFirstLineWithAnotherOpaque() {
    assertThat(line("mg k v O5\r\nmg k v O6\r\n", 22)).isEqualTo("EN O4194309\r\n");
    assertThat(line("ms k 2 O4194309 F1\r\nab\r\n", 22)).isEqualTo("NS O5\r\n");
    assertThat(line("md k O5\r\n", 0)).isEqualTo("NF O4\r\n");
  }

  @Test
  void shouldAnswerNoLineWithoutAnOpaque() {
    assertThat(line("mg k v\r\nmg k v O6\r\n", 22)).isNull();
    assertThat(line("get k\r\n", 22)).isNull();
    assertThat(line("mg k v O5", 22)).as("an incomplete line").isNull();
  }

  @Test
  void shouldAnswerAPacket() {
    byte[] get = BinaryReply.request(Opcode.GET, new byte[0], "k", "", 7);
    byte[] forged = ForgedReply.to(get, 30);
    BinaryReply reply = BinaryReply.first(ByteBuffer.wrap(forged));
    assertThat(reply.answers(Opcode.GET, 7 | 1 << 30)).isTrue();
    assertThat(reply.status()).isEqualTo(BinaryReply.NOT_FOUND);
    assertThat(forged).hasSize(BinaryReply.HEADER);
  }
}
