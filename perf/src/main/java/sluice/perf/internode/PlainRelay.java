package sluice.perf.internode;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import sluice.gateway.cli.CommandLines;
import sluice.names.build.AllowedHere;
import sluice.perf.OptionValues;

/**
 * Relay of bytes that inspects none of them, which shows the cost of any proxy on this transport.
 * One event loop; buffers go from one socket to the other as they were read, with one flush after
 * each round of reads of a socket. If a socket takes no bytes, the other is paused. No timeouts, no
 * metrics, no limits. Runs until it is ended.
 */
@AllowedHere("a command line writes to its terminal")
@Command(
    name = "PlainRelay",
    customSynopsis = "PlainRelay HOST:PORT=HOST:PORT...",
    description = {
      "Relays bytes without parsing them, until it is stopped.",
      "Prints \"ready\" when it listens."
    },
    exitCodeList = {"1:it could not listen", "2:the command line is wrong"})
public final class PlainRelay implements Callable<Integer> {
  /** As the gateway's {@code limits.inFlightBytes}. */
  private static final WriteBufferWaterMark IN_FLIGHT = new WriteBufferWaterMark(2 << 20, 4 << 20);

  private final PrintStream out;

  @Parameters(
      paramLabel = "HOST:PORT=HOST:PORT",
      arity = "1..*",
      converter = PassageConverter.class,
      description = "address to listen on, and address to relay to")
  private List<Passage> passages;

  private PlainRelay(PrintStream out) {
    this.out = out;
  }

  /** Serves. */
  public static void main(String[] arguments) {
    InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
    System.exit(run(System.out, arguments));
  }

  /** Serves and prints to out. */
  static int run(PrintStream out, String... arguments) {
    return commandLine(out).execute(arguments);
  }

  static CommandLine commandLine(PrintStream out) {
    return CommandLines.of(CommandSpec.forAnnotatedObject(new PlainRelay(out)), out, out);
  }

  @Override
  public Integer call() throws InterruptedException {
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    for (Passage passage : passages) {
      serve(group, passage.from, passage.to);
    }
    out.println("ready");
    group.terminationFuture().sync();
    return CommandLines.FINE;
  }

  /** A listener's address, and its destination. */
  record Passage(InetSocketAddress from, InetSocketAddress to) {}

  static final class PassageConverter implements ITypeConverter<Passage> {
    private final OptionValues.TcpConverter address = new OptionValues.TcpConverter();

    @Override
    public Passage convert(String value) {
      int sign = value.indexOf('=');
      if (sign < 0) {
        throw CommandLines.expected("two addresses with = between them");
      }
      return new Passage(
          address.convert(value.substring(0, sign)), address.convert(value.substring(sign + 1)));
    }
  }

  private static void serve(EventLoopGroup group, InetSocketAddress from, InetSocketAddress to)
      throws InterruptedException {
    new ServerBootstrap()
        .group(group)
        .channel(EpollServerSocketChannel.class)
        .option(ChannelOption.SO_REUSEADDR, true)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childOption(ChannelOption.AUTO_READ, false)
        .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, IN_FLIGHT)
        .childHandler(
            new ChannelInitializer<SocketChannel>() {
              @Override
              protected void initChannel(SocketChannel accepted) {
                join(accepted, to);
              }
            })
        .bind(from)
        .sync();
  }

  private static void join(Channel accepted, InetSocketAddress to) {
    Side initiator = new Side();
    Side acceptor = new Side();
    accepted.pipeline().addLast(initiator);
    Bootstrap bootstrap =
        new Bootstrap()
            .group(accepted.eventLoop())
            .channel(EpollSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.WRITE_BUFFER_WATER_MARK, IN_FLIGHT)
            .handler(acceptor);
    acceptor.peer = accepted;
    bootstrap
        .connect(to)
        .addListener(
            (ChannelFutureListener)
                connected -> {
                  if (connected.isSuccess()) {
                    initiator.peer = connected.channel();
                    accepted.config().setAutoRead(true);
                  } else {
                    accepted.close();
                  }
                });
  }

  /** One of two sockets that are joined. */
  private static final class Side extends ChannelInboundHandlerAdapter {
    private @Nullable Channel peer; // null until it is connected

    // A failed write closes the channel, because of the void promise.
    // Nothing is read before the peer is there.
    @Override
    @SuppressWarnings({"FutureReturnValueIgnored", "NullAway"})
    public void channelRead(ChannelHandlerContext context, Object bytes) {
      peer.write(bytes, peer.voidPromise());
    }

    @Override
    @SuppressWarnings("NullAway") // as above
    public void channelReadComplete(ChannelHandlerContext context) {
      peer.flush();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
      if (peer != null) {
        peer.config().setAutoRead(context.channel().isWritable());
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      if (peer != null) {
        peer.writeAndFlush(io.netty.buffer.Unpooled.EMPTY_BUFFER)
            .addListener(ChannelFutureListener.CLOSE);
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }
}
