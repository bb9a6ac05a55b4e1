package sluice.gateway.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Limit of the TLS handshakes that a server of Vert.x has at the same time; it belongs into the
 * pipeline of the server's own channel. Vert.x reports no connection before its handshake is done,
 * and Java may keep 32 KiB of an incomplete message for each. Beyond the limit, the handshake that
 * began first is ended.
 */
@Sharable
public final class HandshakeLimit extends ChannelInboundHandlerAdapter {
  private final int most;
  // The one that was accepted first is first. Some of them may have done their handshake.
  private final Set<Channel> shaking = new LinkedHashSet<>();

  /**
   * A limit of one server.
   *
   * @param most handshakes at the same time
   */
  public HandshakeLimit(int most) {
    this.most = most;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    Channel accepted = (Channel) message;
    Channel surplus = add(accepted);
    accepted.closeFuture().addListener(closed -> remove(accepted));
    ctx.fireChannelRead(message);
    if (surplus != null) {
      close(surplus);
    }
  }

  private static void close(Channel channel) {
    channel.eventLoop().execute(() -> channel.unsafe().close(channel.unsafe().voidPromise()));
  }

  /** Adds a channel; returns one that must be closed, or null. */
  private synchronized @Nullable Channel add(Channel accepted) {
    shaking.add(accepted);
    if (shaking.size() <= most) {
      return null;
    }
    shaking.removeIf(HandshakeLimit::isShaken);
    if (shaking.size() <= most) {
      return null;
    }
    Iterator<Channel> all = shaking.iterator();
    Channel first = all.next();
    all.remove();
    return first;
  }

  private synchronized void remove(Channel closed) {
    shaking.remove(closed);
  }

  private static boolean isShaken(Channel channel) {
    SslHandler tls = channel.pipeline().get(SslHandler.class);
    return tls != null && tls.handshakeFuture().isDone(); // null: it was accepted just now
  }
}
