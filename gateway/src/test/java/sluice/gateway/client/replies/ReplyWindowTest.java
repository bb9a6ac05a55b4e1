package sluice.gateway.client.replies;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplyWindowTest {
  private static final long OUT_BUFFER = 1 << 20;

  private static int allowed(ReplyWindow window) {
    int allowed = 1;
    while (!window.isFull(allowed)) {
      allowed++;
    }
    return allowed;
  }

  private static void reply(ReplyWindow window, int times, int bytes) {
    for (int i = 0; i < times; i++) {
      window.wrote(bytes / 2);
      window.wrote(bytes - bytes / 2);
      window.replied(0);
    }
  }

  @Test
  void shouldTakeFewRequestsBeforeAnyReply() {
    assertThat(allowed(new ReplyWindow(1024, OUT_BUFFER))).isEqualTo(ReplyWindow.FIRST);
    assertThat(allowed(new ReplyWindow(4, OUT_BUFFER))).isEqualTo(4);
  }

  @ParameterizedTest
  @CsvSource({"5, 1024", "4096, 1024", "100000, 41", "1000000, 4", "8000000, 1", "2000000000, 1"})
  void shouldTakeAsManyAsTheirRepliesFit(int bytes, int expected) {
    ReplyWindow window = new ReplyWindow(1024, OUT_BUFFER);
    reply(window, 200, bytes);
    assertThat(allowed(window)).isBetween(expected, expected + 1);
  }

  @Test
  void shouldTakeMoreAgainWhenRepliesAreSmall() {
    ReplyWindow window = new ReplyWindow(1024, OUT_BUFFER);
    reply(window, 100, 1_000_000);
    reply(window, 100, 50);
    assertThat(allowed(window)).isEqualTo(1024);
  }

  @Test
  void shouldCountAValueThatIsReadAndNotWritten() {
    ReplyWindow window = new ReplyWindow(1024, OUT_BUFFER);
    for (int i = 0; i < 200; i++) {
      window.wrote(7);
      window.replied(1_000_000);
    }
    assertThat(allowed(window)).isBetween(4, 5);
  }

  @Test
  void shouldOpenWhenHalfOfTheRequestsAreAnswered() {
    ReplyWindow window = new ReplyWindow(ReplyWindow.FIRST, OUT_BUFFER);
    assertThat(window.isFull(ReplyWindow.FIRST)).isTrue();
    assertThat(window.isOpen(ReplyWindow.FIRST / 2 + 1)).isFalse();
    assertThat(window.isOpen(ReplyWindow.FIRST / 2)).isTrue();
    window = new ReplyWindow(1024, OUT_BUFFER);
    reply(window, 1, 5);
    assertThat(window.isOpen(ReplyWindow.FIRST)).as("more are allowed").isTrue();
    reply(window, 10, 5);
    assertThat(window.isFull(1024)).isTrue();
    assertThat(window.isOpen(513)).isFalse();
    assertThat(window.isOpen(512)).isTrue();
    reply(window, 100, 10_000_000);
    assertThat(window.isOpen(1)).isFalse();
    assertThat(window.isOpen(0)).isTrue();
  }
}
