package sluice.load.internode;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import java.util.function.Function;
import sluice.codecs.compress.Workspace;
import sluice.codecs.internode.Accept;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.Initiate;
import sluice.codecs.internode.MessageHeader;
import sluice.codecs.internode.MessageWalk;
import sluice.codecs.internode.Reframer;
import sluice.names.Verb;

/**
 * Connection that another node opened: handshake, then messages, each reported when it is complete.
 * Every checksum is verified.
 */
final class NodeReceiver extends ChannelInboundHandlerAdapter {
  private static final long MAX_MESSAGE = 128L << 20;
  private static final int MAX_INITIATE = 31;

  /** Listener for a connection's messages. */
  interface Receiver {
    /** Called for each complete message. */
    void message(long id, Verb verb, long payloadLength);

    /** Called after all messages of a read. */
    void readComplete();
  }

  private record Begun(long id, Verb verb, long payloadLength, long end) {}

  private final Function<InetSocketAddress, Receiver> receivers;
  private final Framing expected;
  private final Workspace workspace;
  private final Consumer<String> failed;
  private final ArrayDeque<Begun> begun = new ArrayDeque<>();
  private ByteBuf gathered;
  private Receiver receiver;
  private Reframer reframer;
  private long begunBytes; // of all messages whose headers were read
  private long bytes; // bytes from the reframer, headers included

  /**
   * An accepted connection.
   *
   * @param receivers listener by the address that the initiator states as its own; null for none
   * @param expected the framing that the initiator must state
   */
  NodeReceiver(
      Function<InetSocketAddress, Receiver> receivers,
      Framing expected,
      Workspace workspace,
      Consumer<String> failed) {
    this.receivers = receivers;
    this.expected = expected;
    this.workspace = workspace;
    this.failed = failed;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf in = (ByteBuf) message;
    if (reframer == null && !shakeHands(context, in)) {
      in.release();
      return;
    }
    reframer.read(in);
    long plain = bytes - Framing.UNPROTECTED.headerLength() * reframer.framesWritten();
    while (!begun.isEmpty() && begun.peek().end <= plain) {
      Begun whole = begun.poll();
      receiver.message(whole.id, whole.verb, whole.payloadLength);
    }
  }

  /** Whether the handshake is done; bytes behind it stay in in. */
  private boolean shakeHands(ChannelHandlerContext context, ByteBuf in) {
    if (gathered == null) {
      gathered = context.alloc().directBuffer(MAX_INITIATE);
    }
    while (in.isReadable()) {
      gathered.writeByte(in.readByte());
      if (Initiate.length(gathered, 0, gathered.writerIndex()) == gathered.writerIndex()) {
        accept(context, new Initiate().wrap(gathered, 0));
        return reframer != null;
      }
    }
    return false;
  }

  // A failed write closes the channel, because of the void promise.
  @SuppressWarnings("FutureReturnValueIgnored")
  private void accept(ChannelHandlerContext context, Initiate initiate) {
    receiver = receivers.apply(initiate.from());
    if (receiver == null || initiate.framing() != expected || initiate.isStreaming()) {
      failed.accept("a handshake of " + initiate.from() + " with framing " + initiate.framing());
      return;
    }
    MessageWalk walk = new MessageWalk(NodeSender.VERSION, MAX_MESSAGE, this::begin);
    reframer =
        Reframer.observing(
            expected,
            Framing.UNPROTECTED,
            walk,
            workspace,
            out -> {
              bytes += out.readableBytes();
              out.release();
            });
    ByteBuf answer = context.alloc().directBuffer(Accept.LENGTH);
    Accept.write(answer, NodeSender.VERSION, NodeSender.VERSION);
    context.writeAndFlush(answer, context.voidPromise());
  }

  private boolean begin(MessageHeader header) {
    begunBytes += header.messageLength();
    begun.add(new Begun(header.id(), Verb.of(header.verb()), header.payloadLength(), begunBytes));
    return true;
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (receiver != null) {
      receiver.readComplete();
      if (reframer.droppedFrames() > 0) {
        failed.accept("a corrupt frame came");
      }
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    failed.accept("a connection was closed");
    if (gathered != null) {
      gathered.release();
    }
    if (reframer != null) {
      reframer.close();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    failed.accept(cause.toString());
  }
}
