package sluice.gateway.listen;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import sluice.codecs.ProtocolException;
import sluice.config.model.DurationText;
import sluice.gateway.net.Sockets;

/**
 * First handler of a connection from a trusted proxy: reads the PROXY header, and removes itself.
 * Bytes behind the header go to the handlers that are installed meanwhile.
 */
final class ProxyHeaderHandler extends ChannelInboundHandlerAdapter {
  /** Owner of the connection, which gets the result. */
  interface Owner {
    /**
     * The header is complete: installs the handlers that read what follows.
     *
     * @param client null if it is the peer itself
     */
    void headerRead(@Nullable InetSocketAddress client);

    /** There is no valid header: the connection closes. */
    void headerMissing(String problem);

    /** The handler no longer waits, for any reason. */
    void headerEnded();
  }

  private final Owner owner;
  private final LongConsumer buffered;
  private final long timeoutMillis;
  private @Nullable ByteBuf held; // incomplete header, or null
  private long counted;
  private ChannelHandlerContext context;
  private Future<?> timeout;
  private boolean done;

  /**
   * A handler of one connection.
   *
   * @param buffered receives changes of the bytes held; negative: fewer
   * @param timeoutMillis within which the header must be complete
   */
  ProxyHeaderHandler(Owner owner, LongConsumer buffered, long timeoutMillis) {
    this.owner = owner;
    this.buffered = buffered;
    this.timeoutMillis = timeoutMillis;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
    timeout = ctx.executor().schedule(this::late, timeoutMillis, TimeUnit.MILLISECONDS);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    if (done) {
      bytes.release();
      return;
    }
    ByteBuf in =
        held == null
            ? bytes
            : ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(ctx.alloc(), held, bytes);
    held = in;
    if (!in.isReadable()) {
      return;
    }
    try {
      int length = ProxyHeader.length(in);
      if (length == ProxyHeader.INCOMPLETE) {
        count(in.readableBytes());
      } else {
        end(in, length);
      }
    } catch (ProtocolException e) {
      fail(String.valueOf(e.getMessage()));
    }
  }

  private void end(ByteBuf in, int length) {
    done = true; // before a malformed header closes the channel
    InetSocketAddress client = ProxyHeader.client(context, in.slice(in.readerIndex(), length));
    in.skipBytes(length);
    owner.headerRead(client);
    if (in.isReadable() && context.channel().isOpen()) {
      held = null;
      context.fireChannelRead(in);
    }
    context.pipeline().remove(this);
  }

  private void late() {
    if (!done) {
      fail(
          "found "
              + (held == null ? "nothing" : ProxyHeader.found(held) + " and no more")
              + " within "
              + DurationText.of(timeoutMillis)
              + ", expected a PROXY header");
    }
  }

  private void fail(String problem) {
    done = true;
    owner.headerMissing(problem);
    Sockets.abort(context);
  }

  /** Closes the connection without an answer, unless its header has been read. */
  void abandon() {
    if (!done) {
      done = true;
      Sockets.abort(context);
    }
  }

  /** Ends silently: a peer that only opens and closes a connection may be a probe. */
  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    if (!done && held != null) {
      done = true;
      owner.headerMissing(
          "found " + ProxyHeader.found(held) + " and the end, expected a PROXY header");
    }
    ctx.fireChannelInactive();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    timeout.cancel(false);
    if (held != null) {
      held.release();
      held = null;
    }
    count(0);
    owner.headerEnded();
  }

  private void count(long bytes) {
    if (bytes != counted) {
      buffered.accept(bytes - counted);
      counted = bytes;
    }
  }
}
