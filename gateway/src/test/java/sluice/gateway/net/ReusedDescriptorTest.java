package sluice.gateway.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A new socket that gets the file descriptor of one that was just closed. */
class ReusedDescriptorTest {
  private static final int TIMEOUT_MILLIS = 10_000;

  /** Rounds with the same descriptor, of those that can be had. */
  private static final int ENOUGH = 3;

  /** Closes another channel and connects, in the middle of the events of one epoll_wait. */
  private static final class ClosesAndConnects extends ChannelInboundHandlerAdapter {
    private final Channel other;
    private final Runnable connects;

    ClosesAndConnects(Channel other, Runnable connects) {
      this.other = other;
      this.connects = connects;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ReferenceCountUtil.release(message);
      other.close();
      connects.run();
    }
  }

  @Test
  void shouldConnectAlthoughTheClosedSocketHasAnEvent() throws Exception {
    Vertx vertx =
        Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1).setPreferNativeTransport(true));
    try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
      Context context = vertx.getOrCreateContext();
      NetClient client = vertx.createNetClient();
      SocketAddress address = SocketAddress.inetSocketAddress(server.getLocalPort(), "127.0.0.1");
      int reused = 0;
      for (int round = 0; round < 20 && reused < ENOUGH; round++) {
        NetSocket first = await(Sockets.connect(client, context, address, TIMEOUT_MILLIS));
        Socket firstPeer = server.accept();
        NetSocket second = await(Sockets.connect(client, context, address, TIMEOUT_MILLIS));
        Socket secondPeer = server.accept();
        assumeThat(Sockets.channel(first)).isInstanceOf(EpollSocketChannel.class);
        int descriptor = descriptor(second);

        Promise<NetSocket> third = Promise.promise();
        CountDownLatch bothHaveEvents = new CountDownLatch(1);
        CountDownLatch installed = new CountDownLatch(1);
        context.runOnContext(
            ignored -> {
              Sockets.install(
                  first,
                  new ClosesAndConnects(
                      Sockets.channel(second),
                      () ->
                          Sockets.connect(client, context, address, TIMEOUT_MILLIS)
                              .onComplete(third)));
              installed.countDown();
              await(bothHaveEvents);
            });
        await(installed);
        firstPeer.getOutputStream().write('x');
        secondPeer.close();
        TimeUnit.MILLISECONDS.sleep(20); // until both events are in the kernel's list
        bothHaveEvents.countDown();

        NetSocket connected = await(third.future());
        reused += descriptor(connected) == descriptor ? 1 : 0;
        server.accept().close();
        firstPeer.close();
        await(connected.close());
        await(first.close());
      }
      // other threads of this process take descriptors, too
      assertThat(reused).as("rounds with the same descriptor").isPositive();
    } finally {
      await(vertx.close());
    }
  }

  private static int descriptor(NetSocket socket) {
    return ((EpollSocketChannel) Sockets.channel(socket)).fd().intValue();
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.await(20, TimeUnit.SECONDS);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
