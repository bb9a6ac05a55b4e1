package sluice.gateway.tls;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.vertx.core.net.NetSocket;
import java.util.function.Supplier;
import sluice.gateway.loop.Loop;

/**
 * Handler that recognises TLS by a client's first byte, and then removes itself. A handshake record
 * begins with 22 (RFC 8446, 5.1). No command of text or meta begins with that byte, and every
 * binary packet begins with 0x80.
 */
final class PlainOrTls extends ChannelInboundHandlerAdapter {
  private static final int HANDSHAKE = 22;

  private final Supplier<TlsRecords> records;
  private final NetSocket socket;
  private final Loop loop;

  PlainOrTls(Supplier<TlsRecords> records, NetSocket socket, Loop loop) {
    this.records = records;
    this.socket = socket;
    this.loop = loop;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    if (bytes.isReadable()) {
      if (bytes.getUnsignedByte(bytes.readerIndex()) == HANDSHAKE) {
        ctx.fireUserEventTriggered(TlsBegins.HANDSHAKE);
        if (!ctx.channel().isActive()) {
          bytes.release();
          return;
        }
        TlsRecords tls = records.get();
        ctx.pipeline()
            .addAfter(ctx.name(), "tls gate", TlsGate.ofClient(tls, socket, loop))
            .addAfter(ctx.name(), "tls", tls);
      }
      ctx.fireChannelRead(message);
      ctx.pipeline().remove(this);
    } else {
      ctx.fireChannelRead(message);
    }
  }
}
