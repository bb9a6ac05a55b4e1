package sluice.perf.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import sluice.testkit.Opcode;

class OwedRepliesTest {
  private static final byte[] NONE = {};
  private static final int INVALID = 4;
  private static final int STAT = 0x10;
  private static final int SASL = 0x20;

  private final OwedReplies replies = new OwedReplies();

  private static byte[] packet(int opcode, int extras, String key, String value, int opaque) {
    return BinaryReply.request(opcode, new byte[extras], key, value, opaque);
  }

  private static byte[] get(int opaque) {
    return packet(Opcode.GET, 0, "k", "", opaque);
  }

  private static byte[] withBody(byte[] packet, int body) {
    ByteBuffer.wrap(packet).putInt(BinaryReply.BODY_LENGTH, body);
    return packet;
  }

  private @Nullable String judge(int opcode, int status, int opaque, String key, String value) {
    byte[] bytes = BinaryReply.request(opcode, NONE, key, value, opaque);
    ByteBuffer.wrap(bytes).put((byte) 0x81).putShort(6, (short) status);
    return replies.judge(Objects.requireNonNull(BinaryReply.first(ByteBuffer.wrap(bytes))));
  }

  private @Nullable String judge(int opcode, int status, int opaque) {
    return judge(opcode, status, opaque, "", "");
  }

  @Test
  void shouldOweAReplyOnceAPacketIsCompleteWhereverItIsCut() {
    byte[] set = packet(Opcode.SET, 8, "key", "value", 7);
    for (byte b : set) {
      assertThat(replies.isOwed()).isFalse();
      replies.sent(new byte[] {b});
    }
    assertThat(replies.first()).contains("0x01", "0x00000007");
    replies.sent(get(8));
    assertThat(judge(Opcode.GET, 1, 8)).contains("another request's reply");
    assertThat(judge(Opcode.SET, 0, 7)).isNull();
    assertThat(judge(Opcode.GET, 1, 8)).isNull();
    assertThat(replies.isOwed()).isFalse();
    assertThat(judge(Opcode.GET, 1, 8)).contains("without a request");
  }

  @Test
  void shouldTakeSilenceOfAQuietRequestOnly() {
    replies.sent(packet(Opcode.GETKQ, 0, "k", "", 1));
    replies.sent(packet(Opcode.SETQ, 8, "k", "v", 2));
    replies.sent(packet(Opcode.GETKQ, 0, "k", "", 3));
    assertThat(replies.isOwed()).isFalse();
    replies.sent(packet(Opcode.NOOP, 0, "", "", 4));
    assertThat(replies.first()).contains("0x0a");
    assertThat(judge(Opcode.GETKQ, 0, 3, "other", "")).contains("found key");
    assertThat(judge(Opcode.NOOP, 1, 4)).contains("expected 0");

    replies.sent(packet(Opcode.SETQ, 8, "k", "v", 5));
    assertThat(judge(Opcode.SETQ, 0, 5)).contains("expected silence");
    replies.sent(packet(Opcode.GETQ, 0, "k", "", 6));
    assertThat(judge(Opcode.GETQ, 1, 6)).contains("expected silence");
    replies.sent(packet(Opcode.GETQ, 0, "k", "", 7));
    assertThat(judge(Opcode.GETQ, 0, 7, "", "n:1:k5|3|abc")).contains("another's value");
  }

  @Test
  void shouldTellQuietReadsWithTheSameOpaqueApartByTheirKeys() {
    replies.sent(packet(Opcode.GETKQ, 0, "a", "", 1));
    replies.sent(packet(Opcode.GETKQ, 0, "b", "", 1));
    assertThat(judge(Opcode.GETKQ, 0, 1, "b", "")).isNull();
    assertThat(judge(Opcode.GETKQ, 0, 1, "a", "")).contains("without a request");
  }

  @Test
  void shouldGiveAnErrorToThePacketThatMustHaveIt() {
    replies.sent(packet(Opcode.GETKQ, 0, "k", "", 0));
    replies.sent(packet(Opcode.GETKQ, 0, "", "", 0)); // without a key
    assertThat(judge(Opcode.GETKQ, INVALID, 0)).isNull();
    assertThat(replies.isOwed()).isFalse();
    assertThat(replies.isEnded()).isTrue();
  }

  @Test
  void shouldEndBehindWhatMemcachedCloses() {
    byte[][] bent = {
      withBody(get(1), 0), // less than the key
      withBody(get(1), Integer.MIN_VALUE), // 2 GiB
      packet(Opcode.GET, 0, "", "", 1),
      packet(Opcode.GET, 1, "k", "", 1),
      packet(Opcode.GET, 0, "k".repeat(251), "", 1),
      packet(Opcode.SET, 4, "k", "v", 1),
      packet(Opcode.QUIT, 0, "", "v", 1),
    };
    for (byte[] bytes : bent) {
      OwedReplies ending = new OwedReplies();
      ending.sent(bytes);
      assertThat(ending.isEnded()).isTrue();
      assertThat(ending.isOwed()).isTrue();
    }
    replies.sent(packet(Opcode.QUIT, 0, "", "", 1));
    replies.sent(get(2));
    assertThat(judge(Opcode.QUIT, 0, 1)).isNull();
    assertThat(replies.isOwed()).isFalse();
    for (String silent : new String[] {"get a\r\n", "\u0081", "\0"}) {
      OwedReplies ending = new OwedReplies();
      ending.sent(get(1));
      ending.sent(silent.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));
      assertThat(ending.isEnded()).isTrue();
      assertThat(ending.first()).contains("0x00000001");
    }
  }

  @Test
  void shouldReadOnBehindWhatIsRefused() {
    replies.sent(packet(SASL + 1, 0, "PLAIN", "\0user\0password", 1));
    replies.sent(packet(0xEE, 30, "k", "value", 2));
    replies.sent(packet(Opcode.FLUSHQ, 4, "", "", 3));
    replies.sent(withBody(packet(0xEE, 0, "", "", 4), 100));
    assertThat(replies.isInsideValue()).isTrue();
    replies.sent(new byte[99]);
    assertThat(judge(SASL + 1, 0x81, 1)).isNull();
    assertThat(judge(0xEE, INVALID, 2)).contains("expected 129");
    assertThat(judge(Opcode.FLUSHQ, 0, 3)).contains("expected 32");
    assertThat(replies.isOwed()).isFalse();
    replies.sent(new byte[1]);
    assertThat(judge(0xEE, 0x81, 4)).isNull();
    assertThat(replies.isEnded()).isFalse();
  }

  @Test
  void shouldTakeStatisticsUpToTheirEnd() {
    replies.sent(packet(STAT, 0, "", "", 1));
    assertThat(judge(STAT, 0, 1, "pid", "1")).isNull();
    assertThat(replies.isOwed()).isTrue();
    assertThat(judge(STAT, 0, 1)).isNull();
    assertThat(replies.isOwed()).isFalse();
  }
}
