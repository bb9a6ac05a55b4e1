package sluice.gateway.discover;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import sluice.config.model.DiscoverConfig;
import sluice.config.model.DurationText;
import sluice.config.model.ServerConfig;
import sluice.gateway.net.Sockets;
import sluice.gateway.tls.Dialer;
import sluice.gateway.tls.TlsConnector;

/** Source that asks an ElastiCache cluster's configuration endpoint for its nodes. */
final class ClusterSource implements Source {
  private final Dialer dialer;
  private final DiscoverConfig discover;
  private final @Nullable TlsConnector tls;
  private final int timeoutMillis;

  /**
   * @param tls for the cluster's nodes; null for none
   * @param timeoutMillis for connecting, and again for the reply
   */
  ClusterSource(
      Dialer dialer, DiscoverConfig discover, @Nullable TlsConnector tls, int timeoutMillis) {
    this.dialer = dialer;
    this.discover = discover;
    this.tls = tls;
    this.timeoutMillis = timeoutMillis;
  }

  @Override
  public Future<Found> ask(List<ServerConfig> known) {
    SocketAddress address = SocketAddress.inetSocketAddress(discover.port(), discover.host());
    return dialer.connect(address, timeoutMillis, tls).compose(this::ask).map(Found::new);
  }

  private Future<List<ServerConfig>> ask(NetSocket socket) {
    socket.exceptionHandler(failure -> {}); // the close handler follows
    Conversation conversation = new Conversation(timeoutMillis);
    Sockets.install(socket, conversation);
    return conversation.answer.future().onComplete(done -> socket.close());
  }

  /** Connection for one request and its reply. */
  private static final class Conversation extends ChannelInboundHandlerAdapter {
    private static final String QUESTION = "config get cluster\r\n";

    private final Promise<List<ServerConfig>> answer = Promise.promise();
    private final StringBuilder read = new StringBuilder();
    private final int timeoutMillis;

    Conversation(int timeoutMillis) {
      this.timeoutMillis = timeoutMillis;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
      ctx.writeAndFlush(ByteBufUtil.writeAscii(ctx.alloc(), QUESTION));
      // on this event loop: a timeout of a future without a context runs on a thread of its own
      ScheduledFuture<?> timeout =
          ctx.executor().schedule(this::giveUp, timeoutMillis, MILLISECONDS);
      answer.future().onComplete(done -> timeout.cancel(false));
    }

    private void giveUp() {
      answer.tryFail(new DiscoveryException("no answer within " + DurationText.of(timeoutMillis)));
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf bytes = (ByteBuf) message;
      try {
        read.append(bytes.toString(US_ASCII));
      } finally {
        bytes.release();
      }
      try {
        if (read.length() > ClusterReply.MAX_BYTES) {
          throw new DiscoveryException(
              "an answer of more than " + ClusterReply.MAX_BYTES + " bytes");
        }
        Optional<List<ServerConfig>> nodes = ClusterReply.read(read);
        nodes.ifPresent(answer::tryComplete);
      } catch (DiscoveryException e) {
        answer.tryFail(e);
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      answer.tryFail(new DiscoveryException("the connection closed before the answer"));
      ctx.fireChannelInactive();
    }
  }
}
