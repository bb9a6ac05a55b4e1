package sluice.gateway.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DirectSendTest {
  private static final int WRITES = 20_000;
  private static final int LENGTH = 1000;

  private IoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
  private final CompletableFuture<Channel> accepted = new CompletableFuture<>();
  private Socket peer;

  @AfterEach
  void close() throws IOException {
    if (peer != null) {
      peer.close();
    }
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }

  @Test
  void shouldSendPastTheOutboundBuffer() throws Exception {
    Channel channel = connect();
    boolean sent = onLoop(channel, () -> send(channel, 7, LENGTH));
    assertThat(sent).isTrue();
    assertThat(peer.getInputStream().readNBytes(LENGTH)).containsOnly(7);
  }

  @Test
  void shouldKeepTheOrderWhenTheSocketTakesOnlySome() throws Exception {
    Channel channel = connect();
    int[] direct = new int[1];
    onLoop(
        channel,
        () -> {
          DirectSend send = DirectSend.of(channel.pipeline().firstContext());
          for (int i = 0; i < WRITES; i++) {
            ByteBuf bytes = bytes(i, LENGTH);
            if (send.send(bytes)) {
              direct[0]++;
              bytes.release();
            } else {
              channel.writeAndFlush(bytes);
            }
          }
          return null;
        });
    assertThat(direct[0]).isBetween(1, WRITES - 1); // the peer did not read
    InputStream in = peer.getInputStream();
    for (int i = 0; i < WRITES; i++) {
      assertThat(in.readNBytes(LENGTH)).containsOnly((byte) i);
    }
  }

  @Test
  void shouldNotOvertakeWhatWasWrittenAndNotFlushed() throws Exception {
    Channel channel = connect();
    boolean sent =
        onLoop(
            channel,
            () -> {
              channel.write(bytes(1, LENGTH));
              boolean overtook = send(channel, 2, LENGTH);
              channel.flush();
              return overtook;
            });
    assertThat(sent).isFalse();
    assertThat(peer.getInputStream().readNBytes(LENGTH)).containsOnly(1);
  }

  @Test
  void shouldSendNothingOnceTheChannelIsBeingClosed() throws Exception {
    Channel channel = connect();
    DirectSend send = onLoop(channel, () -> DirectSend.of(channel.pipeline().firstContext()));
    boolean sent =
        onLoop(
            channel,
            () -> {
              channel.close(); // the descriptor may be given to another socket at once
              ByteBuf bytes = bytes(1, LENGTH);
              try {
                return send.send(bytes);
              } finally {
                bytes.release();
              }
            });
    assertThat(sent).isFalse();
    assertThat(peer.getInputStream().read()).isEqualTo(-1);
  }

  @Test
  void shouldLeaveABrokenSocketToTheChannel() throws Exception {
    Channel channel = connect();
    peer.setSoLinger(true, 0);
    onLoop(
        channel,
        () -> {
          channel.config().setAutoRead(false); // it does not learn of the reset by reading
          peer.close();
          for (int i = 0; i < 200 && send(channel, 1, LENGTH); i++) {
            Thread.sleep(10);
          }
          assertThat(send(channel, 2, LENGTH)).isFalse();
          return null;
        });
  }

  @Test
  void shouldHaveNoWayPastAHandlerInFront() throws Exception {
    Channel channel = connect();
    boolean sent =
        onLoop(
            channel,
            () -> {
              ChannelHandlerContext behind = channel.pipeline().firstContext();
              channel.pipeline().addFirst(new ChannelOutboundHandlerAdapter());
              ByteBuf bytes = bytes(1, LENGTH);
              try {
                return DirectSend.of(behind).send(bytes);
              } finally {
                bytes.release();
              }
            });
    assertThat(sent).isFalse();
  }

  @Test
  void shouldHaveNoWayForOtherTransports() throws Exception {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    Channel channel = connect();
    assertThat(onLoop(channel, () -> send(channel, 1, LENGTH))).isFalse();
    EmbeddedChannel embedded = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
    assertThat(send(embedded, 1, LENGTH)).isFalse();
  }

  private Channel connect() throws Exception {
    boolean epoll = group.isIoType(EpollIoHandler.class);
    Channel server =
        new ServerBootstrap()
            .group(group)
            .channel(epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(new ChannelInboundHandlerAdapter());
                    accepted.complete(channel);
                  }
                })
            .bind(InetAddress.getLoopbackAddress(), 0)
            .sync()
            .channel();
    peer =
        new Socket(
            InetAddress.getLoopbackAddress(),
            ((InetSocketAddress) server.localAddress()).getPort());
    Channel channel = accepted.get();
    onLoop(channel, () -> null); // it is registered
    return channel;
  }

  private static boolean send(Channel channel, int value, int length) {
    ByteBuf bytes = bytes(value, length);
    try {
      return DirectSend.of(channel.pipeline().firstContext()).send(bytes);
    } finally {
      bytes.release();
    }
  }

  private static ByteBuf bytes(int value, int length) {
    ByteBuf bytes = ByteBufAllocator.DEFAULT.directBuffer(length);
    for (int i = 0; i < length; i++) {
      bytes.writeByte(value);
    }
    return bytes;
  }

  private static <T> T onLoop(Channel channel, Callable<T> task) throws Exception {
    return channel.eventLoop().submit(task).get();
  }
}
