package sluice.gateway.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static sluice.gateway.loop.AcceptingHandler.MOST_WAITING;

import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import sluice.testkit.LogLines;

class AcceptingHandlerTest {
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final List<EmbeddedChannel> accepted = new ArrayList<>();

  @BeforeEach
  void install() {
    channel.pipeline().addLast(new AcceptingHandler(channel));
  }

  @AfterEach
  void close() {
    accepted.forEach(EmbeddedChannel::close);
    channel.close();
  }

  private void accept(int connections) {
    for (int i = 0; i < connections; i++) {
      EmbeddedChannel connection = new EmbeddedChannel();
      accepted.add(connection);
      channel.pipeline().fireChannelRead(connection);
    }
  }

  private void take(int connections) {
    for (int i = 0; i < connections; i++) {
      accepted.remove(0).runPendingTasks();
      channel.runPendingTasks();
    }
  }

  @Test
  void shouldAcceptNoMoreWhileManyWaitForTheirLoops() {
    accept(MOST_WAITING - 1);
    assertThat(channel.config().isAutoRead()).isTrue();
    accept(1);
    assertThat(channel.config().isAutoRead()).isFalse();
    take(MOST_WAITING / 2 - 1);
    assertThat(channel.config().isAutoRead()).isFalse();
    take(1);
    assertThat(channel.config().isAutoRead()).isTrue();
    accept(MOST_WAITING / 2);
    assertThat(channel.config().isAutoRead()).isFalse();
    take(MOST_WAITING);
    assertThat(channel.config().isAutoRead()).isTrue();
  }

  /** As io_uring, which may have accepted connections before it is told to stop. */
  @Test
  void shouldCountConnectionsThatItGetsMeanwhile() {
    accept(MOST_WAITING + 10);
    take(MOST_WAITING / 2 + 9);
    assertThat(channel.config().isAutoRead()).isFalse();
    take(1);
    assertThat(channel.config().isAutoRead()).isTrue();
  }

  /** Vert.x closes a connection that it has no loop for. */
  @Test
  void shouldNotWaitForConnectionsThatAreClosed() {
    for (int i = 0; i < MOST_WAITING * 2; i++) {
      EmbeddedChannel closed = new EmbeddedChannel();
      closed.close();
      channel.pipeline().fireChannelRead(closed);
      channel.runPendingTasks();
    }
    assertThat(channel.config().isAutoRead()).isTrue();
  }

  @Test
  void shouldTryAgainOnlyAfterASecondAlthoughLoopsHaveTakenAll() {
    channel.freezeTime();
    accept(MOST_WAITING);
    channel.pipeline().fireExceptionCaught(new IOException("Too many open files"));
    take(MOST_WAITING);
    assertThat(channel.config().isAutoRead()).isFalse();
    channel.advanceTimeBy(1, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();
    assertThat(channel.config().isAutoRead()).isTrue();
  }

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
