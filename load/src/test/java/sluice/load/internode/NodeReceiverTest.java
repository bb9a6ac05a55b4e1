package sluice.load.internode;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.codecs.compress.Workspace;
import sluice.codecs.internode.ConnectionType;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.Initiate;
import sluice.names.Verb;

class NodeReceiverTest {
  private static final InetSocketAddress NODE =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 7000);

  private final Workspace workspace = Workspace.of(ByteBufAllocator.DEFAULT);
  private final List<String> failures = new ArrayList<>();

  @AfterEach
  void release() {
    workspace.scratch().release();
  }

  @Test
  void shouldFailOnceAfterAHandshakeWithAnotherFraming() {
    NodeReceiver.Receiver nobody =
        new NodeReceiver.Receiver() {
          @Override
          public void message(long id, Verb verb, long payloadLength) {
            failures.add("a message");
          }

          @Override
          public void readComplete() {
            failures.add("a read");
          }
        };
    EmbeddedChannel channel =
        new EmbeddedChannel(
            new NodeReceiver(from -> nobody, Framing.CRC, workspace, failures::add));
    ByteBuf initiate = Unpooled.buffer();
    Initiate.writeMessaging(
        initiate,
        ConnectionType.SMALL,
        Framing.LZ4,
        NodeSender.VERSION,
        NodeSender.VERSION,
        NodeSender.VERSION,
        NODE);
    channel.writeInbound(initiate);
    assertThat(failures)
        .singleElement()
        .asString()
        .startsWith("a handshake of ")
        .endsWith(" with framing LZ4");
    channel.finishAndReleaseAll();
  }
}
