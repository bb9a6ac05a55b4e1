package sluice.gateway.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Closeable;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.SocketAddress;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A server whose address another process has. */
class RefusedServerTest {
  private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));

  /** A gateway tries the address of a refused configuration every ten seconds, for days. */
  @Test
  void shouldBeForgotten() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      ContextInternal context = (ContextInternal) vertx.getOrCreateContext();
      NetServer server = vertx.createNetServer().connectHandler(socket -> {});
      SocketAddress address = SocketAddress.inetSocketAddress(taken.getLocalPort(), "127.0.0.1");
      Promise<NetServer> bound = Promise.promise();
      context.runOnContext(v -> Sockets.listen(server, context, address).onComplete(bound));
      assertThatThrownBy(() -> bound.future().await(60, TimeUnit.SECONDS))
          .isInstanceOf(BindException.class);
      server.shutdown(1, TimeUnit.SECONDS).await(60, TimeUnit.SECONDS);
      assertThat(context.closeFuture().remove((Closeable) server)).as("was still there").isFalse();
    } finally {
      vertx.close().await(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void shouldBeKnownWhileItIsBound() throws Exception {
    ContextInternal context = (ContextInternal) vertx.getOrCreateContext();
    NetServer server = vertx.createNetServer().connectHandler(socket -> {});
    SocketAddress address = SocketAddress.inetSocketAddress(0, "127.0.0.1");
    Promise<NetServer> bound = Promise.promise();
    context.runOnContext(v -> Sockets.listen(server, context, address).onComplete(bound));
    try {
      assertThat(bound.future().await(60, TimeUnit.SECONDS).actualPort()).isPositive();
      assertThat(context.closeFuture().remove((Closeable) server)).isTrue();
    } finally {
      server.shutdown(1, TimeUnit.SECONDS).await(60, TimeUnit.SECONDS);
      vertx.close().await(60, TimeUnit.SECONDS);
    }
  }
}
