package sluice.load.internode;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
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

  /** The reframer that messages pass through, and their receiver. */
  private record Stream(Reframer reframer, Receiver receiver) {}

  private record Begun(long id, Verb verb, long payloadLength, long end) {}

  private final Function<InetSocketAddress, @Nullable Receiver> receivers;
  private final Framing expected;
  private final Workspace workspace;
  private final Consumer<String> failed;
  private final ArrayDeque<Begun> begun = new ArrayDeque<>();
  private @Nullable ByteBuf gathered; // null: nothing has arrived
  private @Nullable Stream stream; // null: the handshake is not done
  private long begunBytes; // of all messages whose headers were read
  private long bytes; // bytes from the reframer, headers included

  /**
   * An accepted connection.
   *
   * @param receivers listener by the address that the initiator states as its own; null for none
   * @param expected the framing that the initiator must state
   */
  NodeReceiver(
      Function<InetSocketAddress, @Nullable Receiver> receivers,
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
    Stream stream = this.stream;
    if (stream == null) {
      stream = shakeHands(context, in);
    }
    if (stream == null) {
      in.release();
      return;
    }
    stream.reframer.read(in);
    long plain = bytes - Framing.UNPROTECTED.headerLength() * stream.reframer.framesWritten();
    while (!begun.isEmpty() && begun.peek().end <= plain) {
      Begun whole = begun.poll();
      stream.receiver.message(whole.id, whole.verb, whole.payloadLength);
    }
  }

  /** The messages that follow the handshake, if it is done; bytes after it stay in in. */
  private @Nullable Stream shakeHands(ChannelHandlerContext context, ByteBuf in) {
    ByteBuf gathered = this.gathered;
    if (gathered == null) {
      gathered = context.alloc().directBuffer(MAX_INITIATE);
      this.gathered = gathered;
    }
    while (in.isReadable()) {
      gathered.writeByte(in.readByte());
      if (Initiate.length(gathered, 0, gathered.writerIndex()) == gathered.writerIndex()) {
        accept(context, new Initiate().wrap(gathered, 0));
        return stream;
      }
    }
    return null;
  }

  // A failed write closes the channel, because of the void promise.
  @SuppressWarnings("FutureReturnValueIgnored")
  private void accept(ChannelHandlerContext context, Initiate initiate) {
    Receiver receiver = receivers.apply(initiate.from());
    if (receiver == null || initiate.framing() != expected || initiate.isStreaming()) {
      failed.accept("a handshake of " + initiate.from() + " with framing " + initiate.framing());
      return;
    }
    MessageWalk walk = new MessageWalk(NodeSender.VERSION, MAX_MESSAGE, this::begin);
    Reframer reframer =
        Reframer.observing(
            expected,
            Framing.UNPROTECTED,
            walk,
            workspace,
            out -> {
              bytes += out.readableBytes();
              out.release();
            });
    stream = new Stream(reframer, receiver);
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
    Stream stream = this.stream;
    if (stream != null) {
      stream.receiver.readComplete();
      if (stream.reframer.droppedFrames() > 0) {
        failed.accept("a corrupt frame arrived");
      }
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    failed.accept("a connection was closed");
    if (gathered != null) {
      gathered.release();
    }
    if (stream != null) {
      stream.reframer.close();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    failed.accept(cause.toString());
  }
}
