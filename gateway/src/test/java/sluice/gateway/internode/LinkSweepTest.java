package sluice.gateway.internode;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.codecs.internode.ConnectionType;
import sluice.codecs.internode.Framing;
import sluice.gateway.listener.ConnectionHeap;
import sluice.gateway.metrics.LinkOutcome;
import sluice.gateway.server.EmbeddedDialer;
import sluice.names.Verb;
import sluice.testkit.ExpectedErrors;

/** The links of a loop are looked after, each on its own; without sockets. */
class LinkSweepTest {
  /** A frame of few bytes that become 130,000. */
  private static final byte[] GROWING =
      Frames.frame(Framing.LZ4, true, Frames.message(1, Verb.READ_RSP, 0, 130_000));

  private final List<Server> servers = new ArrayList<>();
  private final List<EmbeddedChannel> initiators = new ArrayList<>();
  private final ScriptedLink scripted = new ScriptedLink(); // for its loop and its listeners
  private final Deque<Server> dialled = new ArrayDeque<>(); // that links will be connected to
  private final LinkLoopState links =
      new LinkLoopState(
          scripted.loop(),
          EmbeddedDialer.of(
              scripted.loop(),
              (address, socket) -> socket.complete(EmbeddedDialer.socket(dialled.remove()))),
          new LinkRegistry(node -> null, (listener, peer) -> false, name -> null),
          0);

  @AfterEach
  void close() {
    links.close();
    scripted.close();
  }

  /** A node that has opened a link. */
  private EmbeddedChannel accepted() {
    return accepted(scripted.listenerView());
  }

  private EmbeddedChannel accepted(LinkListenerView listenerView) {
    EmbeddedChannel channel = new EmbeddedChannel();
    channel.pipeline().addLast("handler", new ChannelInboundHandlerAdapter());
    links.accept(EmbeddedDialer.socket(channel), listenerView);
    return channel;
  }

  /** A full heap would end the process. */
  @Test
  void shouldRefuseALinkThatTheHeapHasNoRoomFor() {
    scripted.heap =
        new ConnectionHeap(
            ConnectionHeap.OWN_BYTES + 3 * ConnectionHeap.LINK_HANDSHAKE_BYTES * 3L / 2);
    LinkListenerView listenerView = scripted.listenerView();
    EmbeddedChannel first = accepted(listenerView);
    assertThat(accepted(listenerView).isOpen()).isTrue();
    assertThat(accepted(listenerView).isOpen()).isTrue();
    assertThat(accepted(listenerView).isOpen()).isFalse();
    assertThat(scripted.began(LinkOutcome.REFUSED)).isOne();
    first.close();
    assertThat(accepted(listenerView).isOpen()).isTrue();
  }

  @Test
  void shouldReleaseTheHeapOfALinkThatHasClosed() {
    Server server = new Server();
    EmbeddedChannel initiator = opened(server);
    assertThat(scripted.heap.takenBytes()).isEqualTo(ConnectionHeap.LINK_BYTES);
    initiator.finishAndReleaseAll();
    server.finishAndReleaseAll();
    assertThat(scripted.heap.takenBytes()).isZero();
  }

  /** A server whose socket may take nothing, and then closes late, as Vert.x's sockets do. */
  private static final class Server extends EmbeddedChannel {
    private boolean full;

    Server() {
      pipeline()
          .addLast(
              "handler",
              new ChannelDuplexHandler() {
                @Override
                public void close(ChannelHandlerContext context, ChannelPromise promise) {
                  if (!full) {
                    context.close(promise);
                  }
                }
              });
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer in) throws Exception {
      if (!full) {
        super.doWrite(in);
      }
    }

    /** Its socket takes what waits, and everything from now on. */
    void takesAll() {
      full = false;
      flush();
    }

    /** The number of bytes that its socket has taken since the last call. */
    int taken() {
      int bytes = 0;
      for (ByteBuf each; (each = readOutbound()) != null; each.release()) {
        bytes += each.readableBytes();
      }
      return bytes;
    }
  }

  /** A node that has opened a link for messages to a server. */
  private EmbeddedChannel opened(Server server) {
    return opened(server, scripted.listenerView());
  }

  private EmbeddedChannel opened(Server server, LinkListenerView listenerView) {
    return opened(server, listenerView, Framing.CRC);
  }

  private EmbeddedChannel opened(Server server, LinkListenerView listenerView, Framing framing) {
    dialled.add(server);
    EmbeddedChannel initiator = accepted(listenerView);
    initiator.writeInbound(
        Unpooled.wrappedBuffer(Frames.initiate(ConnectionType.LARGE, framing, 12, 13)));
    scripted.runTasks();
    server.writeInbound(Unpooled.wrappedBuffer(Frames.accept(12, 12)));
    scripted.runTasks();
    assertThat(server.taken()).isPositive();
    return initiator;
  }

  /** A node that has opened a link on which compressed frames are decompressed. */
  private EmbeddedChannel openedToGrow(Server server) {
    scripted.framing = Framing.CRC;
    EmbeddedChannel initiator = opened(server, scripted.listenerView(), Framing.LZ4);
    scripted.framing = null;
    return initiator;
  }

  /** Each may read, so that halves of frames become whole, but not one after the other. */
  @Test
  void shouldReadOneLinkAtATimeWhoseBytesGrowWhenMemoryIsUsedUp() {
    byte[] message = Frames.message(1, Verb.READ_RSP, 0, 3_000);
    byte[] compressed = Frames.frame(Framing.LZ4, true, message);
    byte[] frame = Frames.crc(true, message);
    Server slow = new Server();
    Server quick = new Server();
    EmbeddedChannel first = openedToGrow(slow);
    EmbeddedChannel second = openedToGrow(quick);
    scripted.loop().buffered(64 << 20);
    slow.full = true;
    first.writeInbound(Unpooled.wrappedBuffer(compressed));
    second.writeInbound(Unpooled.wrappedBuffer(compressed));
    for (int i = 0; i < 3; i++) {
      sweep();
    }
    assertThat(quick.taken()).as("while the other link's bytes wait").isZero();
    scripted.pass(1_000);
    sweep();
    assertThat(quick.taken()).as("after a second").isEqualTo(frame.length);

    second.writeInbound(Unpooled.wrappedBuffer(compressed));
    slow.takesAll();
    assertThat(slow.taken()).isEqualTo(frame.length);
    for (int i = 0; i < 3; i++) {
      sweep();
    }
    assertThat(quick.taken()).isEqualTo(frame.length);
    scripted.loop().buffered(-(64 << 20));
    links.close();
    for (EmbeddedChannel each : new EmbeddedChannel[] {first, second, slow, quick}) {
      each.finishAndReleaseAll();
    }
  }

  /** A link on which bytes stay as many as they are adds nothing by being read. */
  @Test
  void shouldNotLetALinkWhoseBytesDoNotGrowWaitForASlowOne() {
    byte[] message = Frames.message(1, Verb.READ_RSP, 0, 3_000);
    byte[] frame = Frames.crc(true, message);
    Server slow = new Server();
    Server quick = new Server();
    Server growing = new Server();
    EmbeddedChannel first = openedToGrow(slow);
    EmbeddedChannel second = opened(quick);
    EmbeddedChannel third = openedToGrow(growing);
    scripted.loop().buffered(64 << 20);
    slow.full = true;
    first.writeInbound(Unpooled.wrappedBuffer(Frames.frame(Framing.LZ4, true, message)));
    second.writeInbound(Unpooled.wrappedBuffer(frame));
    third.writeInbound(Unpooled.wrappedBuffer(Frames.frame(Framing.LZ4, true, message)));
    for (int i = 0; i < 4; i++) {
      sweep();
    }
    assertThat(quick.taken()).isEqualTo(frame.length);
    assertThat(growing.taken()).as("although the other link was read meanwhile").isZero();
    scripted.loop().buffered(-(64 << 20));
    links.close();
    for (EmbeddedChannel each : new EmbeddedChannel[] {first, second, third}) {
      each.finishAndReleaseAll();
    }
    for (EmbeddedChannel each : new EmbeddedChannel[] {slow, quick, growing}) {
      each.finishAndReleaseAll();
    }
  }

  /** What the bytes of one link have become counts before the next one is read. */
  @Test
  void shouldFeedNoMoreLinksAtOnceThanThereIsMemoryFor() {
    growing(8);
    scripted.loop().buffered(64 << 20);
    initiators.forEach(each -> each.writeInbound(Unpooled.wrappedBuffer(GROWING)));
    scripted.loop().buffered(-(16 << 20) - 200 * 1024); // less than three quarters: relaxed
    sweep();
    assertThat(servers.stream().filter(server -> server.taken() > 0)).hasSizeBetween(1, 7);
    end();
  }

  @Test
  void shouldNotGoBeyondMemoryForNodesThatCloseTogether() {
    growing(6);
    scripted.loop().buffered((64 << 20) - 200 * 1024);
    for (EmbeddedChannel initiator : initiators) {
      initiator.writeInbound(Unpooled.wrappedBuffer(GROWING));
    }
    servers.forEach(server -> server.full = true);
    initiators.forEach(EmbeddedChannel::close);
    scripted.runTasks();
    assertThat(scripted.loop().memory().total()).isBetween(64L << 20, (64L << 20) + 256 * 1024);
    end();
  }

  /** So many links whose frames are decompressed. */
  private void growing(int count) {
    for (int i = 0; i < count; i++) {
      Server server = new Server();
      servers.add(server);
      initiators.add(openedToGrow(server));
    }
  }

  private void end() {
    links.close();
    initiators.forEach(EmbeddedChannel::finishAndReleaseAll);
    servers.forEach(EmbeddedChannel::finishAndReleaseAll);
  }

  /** Although the process may stop at once. */
  @Test
  void shouldGiveAMessageTimeToEndBeforeNewRulesApply() {
    byte[] message = Frames.message(3, Verb.READ_RSP, 0, 900);
    LinkListenerView before = scripted.listenerView();
    Server server = new Server();
    EmbeddedChannel initiator = opened(server, before);
    initiator.writeInbound(Unpooled.wrappedBuffer(Frames.crc(false, Arrays.copyOf(message, 500))));
    before.replacedBy(scripted.listenerView(Verb.TRUNCATE_REQ));
    scripted.pass(100);
    sweep();
    scripted.pass(30_000);
    sweep();
    assertThat(initiator.isOpen()).isTrue();
    scripted.pass(100);
    sweep();
    initiator.runPendingTasks();
    assertThat(initiator.isOpen()).isFalse();
    initiator.finishAndReleaseAll();
    server.finishAndReleaseAll();
  }

  /** Hundreds of such links use up the memory, and each could stay for ever. */
  @Test
  void shouldEndALinkThatStopsInsideAFrameWhileMemoryIsShort() {
    byte[] frame = Frames.crc(true, Frames.message(1, Verb.READ_RSP, 0, 60_000));
    Server server = new Server();
    EmbeddedChannel initiator = opened(server);
    initiator.writeInbound(Unpooled.wrappedBuffer(frame));
    assertThat(server.taken()).isEqualTo(frame.length);
    initiator.writeInbound(Unpooled.wrappedBuffer(frame, 0, 50_000));
    sweepForSeconds(60);
    assertThat(initiator.isOpen()).as("while there is memory").isTrue();
    scripted.loop().buffered(50 << 20);
    sweepForSeconds(30);
    initiator.writeInbound(
        Unpooled.wrappedBuffer(frame, 50_000, frame.length - 50_000),
        Unpooled.wrappedBuffer(frame, 0, 50_000));
    assertThat(server.taken()).isEqualTo(frame.length);
    sweepForSeconds(30);
    assertThat(initiator.isOpen()).isTrue();
    sweepForSeconds(2);
    initiator.runPendingTasks();
    assertThat(initiator.isOpen()).isFalse();
    scripted.loop().buffered(-(50 << 20));
    assertThat(scripted.loop().memory().total()).isZero();
    initiator.finishAndReleaseAll();
    server.finishAndReleaseAll();
  }

  private void sweepForSeconds(int seconds) {
    for (int i = 0; i < seconds; i++) {
      scripted.pass(1_000);
      sweep();
    }
  }

  private void sweep() {
    links.sweep();
    scripted.runTasks();
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
    scripted.pass(100);

    ExpectedErrors.of("an internal error").during(links::sweep);

    fails.runPendingTasks();
    behind.runPendingTasks();
    assertThat(behind.isOpen()).as("a link whose listener was removed").isFalse();
    assertThat(fails.isOpen()).isFalse();
    assertThat(links.isEmpty()).isTrue();
    fails.finishAndReleaseAll();
    behind.finishAndReleaseAll();
  }
}
