package sluice.gateway.loop;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.util.concurrent.ThreadAwareExecutor;
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

  private static final class Implementation extends ForwardingTransport {
    Implementation(io.vertx.core.spi.transport.Transport transport) {
      super(transport);
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
    public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
      ChannelFactory<? extends Channel> channels = transport.channelFactory(domainSocket);
      return () -> {
        Channel channel = channels.newChannel();
        channel.pipeline().addLast(ConnectingHandler.INSTANCE);
        return channel;
      };
    }
  }
}
