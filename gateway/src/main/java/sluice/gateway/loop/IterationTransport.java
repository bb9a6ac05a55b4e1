package sluice.gateway.loop;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.transport.Transport;
import java.util.concurrent.ThreadFactory;
import sluice.gateway.net.HandshakeLimit;

/**
 * Vert.x transport with event loops that end the {@link FlushScheduler}s of their loop, and with
 * channels that do not report failed connects twice, or each failed accept with a stack trace.
 */
public final class IterationTransport implements Transport {
  /** Maker of event loops. */
  public interface Loops {
    /**
     * Creates event loops.
     *
     * @param threads for loops that have threads
     * @param handlers of the loops' sockets
     */
    EventLoopGroup create(int count, ThreadFactory threads, IoHandlerFactory handlers);
  }

  /** Of one server of Vert.x, at the same time: 2.5 MiB of heap. */
  private static final int MOST_HANDSHAKES = 64;

  private final Transport transport;
  private final Loops loops;

  /**
   * @param transport that moves the bytes
   */
  public IterationTransport(Transport transport) {
    this(transport, MultiThreadIoEventLoopGroup::new);
  }

  /**
   * @param transport that moves the bytes
   * @param loops of the process
   */
  public IterationTransport(Transport transport, Loops loops) {
    this.transport = transport;
    this.loops = loops;
  }

  @Override
  public String name() {
    return transport.name();
  }

  @Override
  public boolean available() {
    return transport.available();
  }

  @Override
  public Throwable unavailabilityCause() {
    return transport.unavailabilityCause();
  }

  @Override
  public io.vertx.core.spi.transport.Transport implementation() {
    return new Implementation(transport.implementation(), loops);
  }

  private static final class Implementation extends ForwardingTransport {
    private final Loops loops;

    Implementation(io.vertx.core.spi.transport.Transport transport, Loops loops) {
      super(transport);
      this.loops = loops;
    }

    @Override
    public EventLoopGroup eventLoopGroup(int type, int count, ThreadFactory threads, int ioRatio) {
      return loops.create(count, threads, ioHandlerFactory());
    }

    @Override
    public IoHandlerFactory ioHandlerFactory() {
      IoHandlerFactory sockets = transport.ioHandlerFactory();
      return new IoHandlerFactory() {
        @Override
        public IoHandler newHandler(ThreadAwareExecutor executor) {
          return new IterationHandler(sockets.newHandler(executor));
        }
      };
    }

    @Override
    public void configure(
        NetServerOptions options, boolean domainSocket, ServerBootstrap bootstrap) {
      super.configure(options, domainSocket, bootstrap);
      if (options.isSsl()) { // Vert.x's own TLS, which only the admin port uses
        bootstrap.handler(new HandshakeLimit(MOST_HANDSHAKES));
      }
    }

    @Override
    public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
      ChannelFactory<? extends Channel> channels = transport.channelFactory(domainSocket);
      return () -> {
        Channel channel = channels.newChannel();
        channel.pipeline().addLast(ConnectingHandler.INSTANCE);
        return channel;
      };
    }

    @Override
    public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
      ChannelFactory<? extends ServerChannel> channels =
          transport.serverChannelFactory(domainSocket);
      return () -> {
        ServerChannel channel = channels.newChannel();
        channel.pipeline().addLast(new AcceptingHandler(channel));
        return channel;
      };
    }
  }
}
