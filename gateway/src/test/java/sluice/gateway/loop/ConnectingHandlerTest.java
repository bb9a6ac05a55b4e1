package sluice.gateway.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.nio.channels.NotYetConnectedException;
import org.junit.jupiter.api.Test;

class ConnectingHandlerTest {
  /** One whose handler is added later than it became active: as if it were being connected. */
  private final EmbeddedChannel channel = new EmbeddedChannel();

  ConnectingHandlerTest() {
    channel.pipeline().addLast(ConnectingHandler.INSTANCE);
  }

  @Test
  void shouldKeepToItselfThatTheChannelIsNotConnectedYet() {
    channel.pipeline().fireExceptionCaught(new NotYetConnectedException());
    channel.checkException();
  }

  @Test
  void shouldPassOnEverythingElse() {
    channel.pipeline().fireExceptionCaught(new IOException("reset"));
    assertThatThrownBy(channel::checkException).hasMessage("reset");
  }

  @Test
  void shouldLeaveWhenTheChannelIsConnected() {
    channel.pipeline().fireChannelActive();
    assertThat(channel.pipeline().get(ConnectingHandler.class)).isNull();
  }
}
