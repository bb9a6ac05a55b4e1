package sluice.gateway.listen;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.io.IOException;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.gateway.client.ClientConnection;
import sluice.gateway.client.ConnectedClient;
import sluice.gateway.client.DialectReader;
import sluice.gateway.client.binary.BinaryReader;
import sluice.gateway.client.text.TextReader;
import sluice.gateway.listener.ConnectionHeap;
import sluice.gateway.listener.Listener;
import sluice.gateway.listener.ListenerView;
import sluice.gateway.net.Sockets;
import sluice.gateway.session.LoopState;
import sluice.gateway.session.SilentClient;
import sluice.gateway.tls.CertifiedNames;
import sluice.gateway.tls.TlsBegins;
import sluice.gateway.tls.TlsException;
import sluice.names.Dialect;

/**
 * Client that has not sent anything yet: its first byte decides its dialect, once
 * (protocols/memcached.md, 1).
 */
public final class NewClient extends ChannelInboundHandlerAdapter implements SilentClient {
  private static final int LOW_WATER = 32 * 1024;
  private static final int HIGH_WATER = 64 * 1024;

  private final ClientLoop clients;
  private final LoopState loopState;
  private final ListenerView listenerView;
  private boolean entered;

  public NewClient(ClientLoop clients, Listener listener) {
    this.clients = clients;
    loopState = clients.loopState();
    this.listenerView = new ListenerView(listener);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    if (!listenerView.enter()) {
      // memcached's answer, for a client of any dialect.
      ctx.writeAndFlush(Unpooled.copiedBuffer("ERROR Too many open connections\r\n", US_ASCII));
      ctx.channel().close();
      return;
    }
    entered = true;
    long outBuffer = listenerView.limits().outBufferBytes();
    ctx.channel()
        .config()
        .setWriteBufferWaterMark(
            new WriteBufferWaterMark(
                (int) Math.min(LOW_WATER, outBuffer / 4),
                (int) Math.min(HIGH_WATER, outBuffer / 2)));
    // A client that has sent everything may still want replies, and its requests are carried out in
    // any case.
    ctx.channel().config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    staysOpen(ctx.channel().config());
    Sockets.keepAlive(ctx.channel());
    loopState.addSilent(this, ctx.channel());
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    if (!entered || !bytes.isReadable()) {
      bytes.release();
      return;
    }
    boolean binary = bytes.getUnsignedByte(bytes.readerIndex()) == BinaryHeader.REQUEST_MAGIC;
    boolean textual = listenerView.takes(Dialect.TEXT) || listenerView.takes(Dialect.META);
    if (listenerView.isIgnite()) {
      binary = true; // input that does not begin as a packet ends the connection
    } else if (binary && !listenerView.takes(Dialect.BINARY)) {
      binary = false; // a text port reads it as an invalid line
    } else if (!binary && !textual) {
      bytes.release();
      ctx.channel().close(); // as a server that speaks only binary
      return;
    }
    listenerView.client(CertifiedNames.of(ctx.pipeline()));
    entered = false; // from now on the connection counts the client out
    loopState.removeSilent(this);
    ClientConnection client =
        new ClientConnection(
            loopState, listenerView, binary ? this::binaryReader : this::textReader);
    ctx.pipeline().replace(this, "sluice", client);
    client.take(bytes);
  }

  private DialectReader textReader(ConnectedClient client) {
    return new TextReader(client, loopState, clients.text(), listenerView, clients.textRequests());
  }

  private DialectReader binaryReader(ConnectedClient client) {
    return new BinaryReader(
        client,
        loopState,
        clients.binary(),
        clients.binaryRequests(listenerView.isIgnite()),
        listenerView);
  }

  /** A failed write does not end the reading of input. */
  @SuppressWarnings("deprecation") // deprecated for ten years, without a replacement
  private static void staysOpen(ChannelConfig config) {
    config.setAutoClose(false);
  }

  /** Closes a client that ends its input without having sent anything. */
  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    ctx.fireUserEventTriggered(event);
    if (event instanceof SslHandshakeCompletionEvent handshake && handshake.isSuccess()) {
      if (entered) {
        listenerView.takesHeap(ConnectionHeap.TLS_BYTES);
      }
    }
    if (event == TlsBegins.HANDSHAKE && entered && !listenerView.mayShake()) {
      Sockets.abort(ctx);
    }
    if (event instanceof ChannelInputShutdownEvent) {
      Sockets.abort(ctx);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    if (entered) {
      entered = false;
      loopState.removeSilent(this);
      listenerView.leave();
    }
    ctx.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof TlsException failure) {
      listenerView.tlsFailed(ctx.channel(), failure);
    }
    ctx.fireExceptionCaught(cause);
    if (cause instanceof IOException) {
      Sockets.abort(ctx);
    }
  }

  @Override
  public boolean isRetired() {
    return listenerView.isRetired();
  }

  @Override
  public long idleNanos() {
    return listenerView.limits().idleMillis() * 1_000_000L;
  }
}
