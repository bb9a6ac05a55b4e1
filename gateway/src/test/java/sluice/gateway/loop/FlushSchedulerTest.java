package sluice.gateway.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.testkit.ExpectedErrors;

/** When what was written leaves, on sockets of this machine, whoever ends the turns. */
class FlushSchedulerTest {
  private static final int PATIENCE_MILLIS = 10_000;

  private enum Ended {
    BY_THE_HANDLER_OF_NIO,
    BY_THE_HANDLER_OF_EPOLL,
    BY_A_TASK;

    IoHandlerFactory handlers() {
      return switch (this) {
        case BY_THE_HANDLER_OF_NIO -> ending(NioIoHandler.newFactory());
        case BY_THE_HANDLER_OF_EPOLL -> ending(EpollIoHandler.newFactory());
        case BY_A_TASK -> NioIoHandler.newFactory();
      };
    }

    private static IoHandlerFactory ending(IoHandlerFactory sockets) {
      return executor -> new IterationHandler(sockets.newHandler(executor));
    }

    Class<? extends ServerChannel> channels() {
      return this == BY_THE_HANDLER_OF_EPOLL
          ? EpollServerSocketChannel.class
          : NioServerSocketChannel.class;
    }
  }

  /** A connection that says back what it hears. */
  private static final class Peer extends Connection {
    private int waits;
    private Error breaks; // null: it does not
    private int flushes;

    Peer(Loop loop) {
      super(loop);
    }

    void say(String text) {
      write(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII));
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      loop.beginIteration();
      write((ByteBuf) message);
    }

    @Override
    protected boolean waitsForMore(int turns) {
      return turns < waits;
    }

    @Override
    protected void flushed() {
      flushes++;
      if (breaks != null) {
        throw breaks;
      }
    }

    @Override
    protected void closed() {}
  }

  /** A loop with a server socket, and clients of it. */
  private static final class Sockets implements AutoCloseable {
    private final MultiThreadIoEventLoopGroup group;
    private final Loop loop;
    private final BlockingQueue<Peer> accepted = new LinkedBlockingQueue<>();
    private final InetSocketAddress address;
    private final List<Socket> clients = new ArrayList<>();

    Sockets(Ended ended) throws Exception {
      group = new MultiThreadIoEventLoopGroup(1, ended.handlers());
      loop =
          group
              .next()
              .submit(
                  () ->
                      new Loop(
                          group.next(),
                          UnpooledByteBufAllocator.DEFAULT,
                          MemoryShare.of(1, 1 << 20)[0],
                          new GatewayMetrics().newLoop()))
              .get();
      address =
          (InetSocketAddress)
              new ServerBootstrap()
                  .group(group)
                  .channel(ended.channels())
                  .childHandler(
                      new ChannelInitializer<SocketChannel>() {
                        @Override
                        protected void initChannel(SocketChannel channel) {
                          Peer peer = new Peer(loop);
                          channel.pipeline().addLast(peer);
                          accepted.add(peer);
                        }
                      })
                  .bind(InetAddress.getLoopbackAddress(), 0)
                  .sync()
                  .channel()
                  .localAddress();
    }

    Socket connect() throws IOException {
      Socket socket = new Socket(address.getAddress(), address.getPort());
      socket.setSoTimeout(PATIENCE_MILLIS);
      clients.add(socket);
      return socket;
    }

    Peer accepted() throws InterruptedException {
      return accepted.poll(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    }

    void run(Runnable task) throws Exception {
      group.next().submit(task).get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() throws IOException {
      for (Socket client : clients) {
        client.close();
      }
      group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }
  }

  private static String read(Socket socket, int count) throws IOException {
    return new String(socket.getInputStream().readNBytes(count), StandardCharsets.US_ASCII);
  }

  @ParameterizedTest
  @EnumSource
  void shouldFlushWhatWasWrittenWhileSocketsWereRead(Ended ended) throws Exception {
    try (Sockets sockets = new Sockets(ended)) {
      Socket socket = sockets.connect();
      for (int i = 0; i < 100; i++) {
        socket.getOutputStream().write("abc".getBytes(StandardCharsets.US_ASCII));
        assertThat(read(socket, 3)).isEqualTo("abc");
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldFlushOnceWhatATaskWroteThoughNoSocketIsReady(Ended ended) throws Exception {
    try (Sockets sockets = new Sockets(ended)) {
      Socket socket = sockets.connect();
      Peer peer = sockets.accepted();
      sockets.run(
          () -> {
            peer.say("one ");
            peer.say("two");
          });
      assertThat(read(socket, 7)).isEqualTo("one two");
      sockets.run(() -> assertThat(peer.flushes).isEqualTo(1));
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldFlushAtLastWhatWaits(Ended ended) throws Exception {
    try (Sockets sockets = new Sockets(ended)) {
      Socket socket = sockets.connect();
      Peer peer = sockets.accepted();
      sockets.run(
          () -> {
            peer.waits = 50;
            peer.say("late");
          });
      assertThat(read(socket, 4)).isEqualTo("late");
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldCloseAConnectionWhoseFlushFailsAndFlushTheOthers(Ended ended) throws Exception {
    ExpectedErrors.of("because of an internal error").during(() -> breakOneOfTwo(ended));
  }

  private static void breakOneOfTwo(Ended ended) throws Exception {
    try (Sockets sockets = new Sockets(ended)) {
      Socket broken = sockets.connect();
      Peer first = sockets.accepted();
      Socket other = sockets.connect();
      Peer second = sockets.accepted();
      sockets.run(
          () -> {
            first.breaks = new InternalError("none for this test");
            first.say("x");
            second.say("y");
          });
      assertThat(read(other, 1)).isEqualTo("y");
      assertThat(read(broken, 2)).as("and then closed").hasSizeLessThan(2);
      sockets.run(() -> second.say("z"));
      assertThat(read(other, 1)).isEqualTo("z");
    }
  }
}
