package sluice.gateway.loop;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.vertx.core.datagram.DatagramSocketOptions;
import io.vertx.core.net.ClientOptionsBase;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.transport.Transport;

/**
 * Vert.x transport with event loops that end the {@link FlushScheduler}s of their loop, and with
 * channels that do not report failed connects twice.
 */
public final class IterationTransport implements Transport {
  private final Transport transport;

  /**
   * @param transport that moves the bytes
   */
  public IterationTransport(Transport transport) {
    this.transport = transport;
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
    return new Implementation(transport.implementation());
  }

  private record Implementation(io.vertx.core.spi.transport.Transport transport)
      implements io.vertx.core.spi.transport.Transport {

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
    public boolean supportsDomainSockets() {
      return transport.supportsDomainSockets();
    }

    @Override
    public boolean supportFileRegion() {
      return transport.supportFileRegion();
    }

    @Override
    public boolean isAvailable() {
      return transport.isAvailable();
    }

    @Override
    public Throwable unavailabilityCause() {
      return transport.unavailabilityCause();
    }

    @Override
    public java.net.SocketAddress convert(SocketAddress address) {
      return transport.convert(address);
    }

    @Override
    public SocketAddress convert(java.net.SocketAddress address) {
      return transport.convert(address);
    }

    @Override
    public DatagramChannel datagramChannel() {
      return transport.datagramChannel();
    }

    @Override
    @SuppressWarnings("deprecation") // as declared by the interface
    public DatagramChannel datagramChannel(io.netty.channel.socket.InternetProtocolFamily family) {
      return transport.datagramChannel(family);
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
      return transport.serverChannelFactory(domainSocket);
    }

    @Override
    public void configure(DatagramChannel channel, DatagramSocketOptions options) {
      transport.configure(channel, options);
    }

    @Override
    public void configure(
        ClientOptionsBase options, int connectTimeout, boolean domainSocket, Bootstrap bootstrap) {
      transport.configure(options, connectTimeout, domainSocket, bootstrap);
    }

    @Override
    public void configure(
        NetServerOptions options, boolean domainSocket, ServerBootstrap bootstrap) {
      transport.configure(options, domainSocket, bootstrap);
    }
  }
}
