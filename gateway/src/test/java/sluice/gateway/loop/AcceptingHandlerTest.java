package sluice.gateway.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import sluice.testkit.LogLines;

class AcceptingHandlerTest {
  private final EmbeddedChannel channel = new EmbeddedChannel(new AcceptingHandler());

  @Test
  void shouldLogOneLineAndTryAgainAfterASecond() {
    channel.freezeTime();
    try (LogLines log = LogLines.of("sluice.gateway.loop")) {
      for (int second = 0; second < 3; second++) {
        assertThat(channel.config().isAutoRead()).isTrue();
        channel
            .pipeline()
            .fireExceptionCaught(
                new IOException("accept(..) failed with error(-24): Too many open files"));
        channel.checkException();
        assertThat(channel.config().isAutoRead()).isFalse();
        channel.advanceTimeBy(1, TimeUnit.SECONDS);
        channel.runScheduledPendingTasks();
      }
      assertThat(log.lines())
          .containsExactly(
              "cannot accept connections at embedded: Too many open files; trying again every"
                  + " second");
    }
  }

  @Test
  void shouldPassOnEverythingElse() {
    channel.pipeline().fireExceptionCaught(new IllegalStateException("unexpected"));
    assertThatThrownBy(channel::checkException).hasMessage("unexpected");
    assertThat(channel.config().isAutoRead()).isTrue();
  }
}
