package sluice.gateway.internode;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.gateway.server.EmbeddedDialer;
import sluice.testkit.ExpectedErrors;

/** The links of a loop are looked after, each on its own; without sockets. */
class LinkSweepTest {
  private final ScriptedLink scripted = new ScriptedLink(); // for its loop and its listeners
  private final LinkLoopState links =
      new LinkLoopState(
          scripted.loop(),
          null,
          new LinkRegistry(node -> null, (listener, peer) -> false, name -> null),
          0);

  @AfterEach
  void close() {
    links.close();
    scripted.close();
  }

  /** A node that has opened a link. */
  private EmbeddedChannel accepted() {
    EmbeddedChannel channel = new EmbeddedChannel();
    channel.pipeline().addLast("handler", new ChannelInboundHandlerAdapter());
    links.accept(EmbeddedDialer.socket(channel), scripted.listenerView());
    return channel;
  }

  @Test
  void shouldSweepTheOthersWhenTheSweepOfOneFails() throws Exception {
    scripted.retired =
        () -> {
          throw new IllegalStateException("of the test");
        };
    EmbeddedChannel fails = accepted();
    scripted.retired = () -> true;
    EmbeddedChannel behind = accepted();

    ExpectedErrors.of("an error in this program").during(links::sweep);

    fails.runPendingTasks();
    behind.runPendingTasks();
    assertThat(behind.isOpen()).as("a link whose listener was removed").isFalse();
    assertThat(fails.isOpen()).isFalse();
    assertThat(links.isEmpty()).isTrue();
    fails.finishAndReleaseAll();
    behind.finishAndReleaseAll();
  }
}
