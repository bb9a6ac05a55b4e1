package sluice.gateway.loop;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Shortcut from a connection to its socket, past Netty's pipeline and outbound buffer, for a
 * channel of the epoll transport without TLS. Belongs to one event loop.
 */
final class DirectSend {
  /** The shortcut of a channel that has none: it sends nothing. */
  static final DirectSend NEVER = new DirectSend(null);

  private final @Nullable EpollSocketChannel channel; // null: there is no shortcut

  private DirectSend(@Nullable EpollSocketChannel channel) {
    this.channel = channel;
  }

  /**
   * The shortcut for the channel of context. There is none if a handler before context's could
   * change what is written. Such handlers are installed before those that write, never after.
   */
  static DirectSend of(ChannelHandlerContext context) {
    return context.channel() instanceof EpollSocketChannel channel
            && context.pipeline().firstContext() == context
        ? new DirectSend(channel)
        : NEVER;
  }

  /**
   * Sends bytes if the socket accepts all of them now. Accepted bytes are read. The caller writes
   * the rest to the channel, which also finds out about a broken socket. Borrows bytes.
   *
   * @return whether all were sent
   */
  boolean send(ByteBuf bytes) {
    if (channel == null || !bytes.hasMemoryAddress()) {
      return false;
    }
    // A channel that is being closed has no outbound buffer. Its descriptor may already belong to
    // another channel.
    ChannelOutboundBuffer earlier = channel.unsafe().outboundBuffer();
    if (earlier == null || earlier.totalPendingWriteBytes() != 0) {
      return false;
    }
    if (!bytes.isReadable()) {
      return true;
    }
    try {
      bytes.skipBytes(
          ((Socket) channel.fd())
              .sendAddress(bytes.memoryAddress(), bytes.readerIndex(), bytes.writerIndex()));
    } catch (IOException e) {
      return false;
    }
    return !bytes.isReadable();
  }
}
