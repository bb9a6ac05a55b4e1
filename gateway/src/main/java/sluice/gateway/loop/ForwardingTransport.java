package sluice.gateway.loop;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.vertx.core.datagram.DatagramSocketOptions;
import io.vertx.core.net.ClientOptionsBase;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.spi.transport.Transport;

/** Vert.x transport that forwards to another one, except for methods that a subclass overrides. */
abstract class ForwardingTransport implements Transport {
  /** The other transport. */
  protected final Transport transport;

  ForwardingTransport(Transport transport) {
    this.transport = transport;
  }

  @Override
  public IoHandlerFactory ioHandlerFactory() {
    return transport.ioHandlerFactory();
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
    return transport.channelFactory(domainSocket);
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
  public void configure(NetServerOptions options, boolean domainSocket, ServerBootstrap bootstrap) {
    transport.configure(options, domainSocket, bootstrap);
  }

  /** Configures a client's Unix socket as the interface does, without the other transport. */
  protected final void configureUnix(ClientOptionsBase options, int timeout, Bootstrap bootstrap) {
    Transport.super.configure(options, timeout, true, bootstrap);
  }

  /** Configures a server's Unix socket as the interface does, without the other transport. */
  protected final void configureUnix(NetServerOptions options, ServerBootstrap bootstrap) {
    Transport.super.configure(options, true, bootstrap);
  }
}
