package sluice.gateway.server.shared;

import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;
import sluice.gateway.server.connection.ServerConnection;

/**
 * Channel in place of a socket, for a {@link ServerConnection} that reaches its server through
 * another event loop's connection. Flushed bytes go into the sharer's next batch; arriving bytes
 * are read.
 */
final class SharerChannel extends AbstractChannel {
  private static final ChannelMetadata METADATA = new ChannelMetadata(false);

  /** End of the pipe behind the channel. */
  interface End {
    /** Reading was paused, and is resumed. */
    void readsAgain();

    /** Takes flushed bytes, as far as they may leave. */
    void send(ChannelOutboundBuffer flushed);

    /** The connection has closed. */
    void leave();
  }

  private final End end;
  private final ChannelConfig config;
  private boolean open = true;
  private boolean stopped; // reading

  SharerChannel(End end) {
    super(null);
    this.end = end;
    this.config =
        new DefaultChannelConfig(this) {
          @Override
          protected void autoReadCleared() {
            stopped = true;
          }
        };
  }

  /** Whether all flushed bytes are in a batch. */
  boolean hasSentAll() {
    ChannelOutboundBuffer buffer = unsafe().outboundBuffer();
    return buffer == null || buffer.totalPendingWriteBytes() == 0;
  }

  @Override
  protected AbstractUnsafe newUnsafe() {
    return new Unsafe();
  }

  private final class Unsafe extends AbstractUnsafe {
    @Override
    public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
      promise.setFailure(new UnsupportedOperationException("it is connected from the beginning"));
    }
  }

  @Override
  protected boolean isCompatible(EventLoop loop) {
    return true; // no selector knows of it
  }

  @Override
  protected @Nullable SocketAddress localAddress0() {
    return null;
  }

  @Override
  protected @Nullable SocketAddress remoteAddress0() {
    return null;
  }

  @Override
  protected void doBind(SocketAddress localAddress) {
    throw new UnsupportedOperationException("nothing listens here");
  }

  @Override
  protected void doDisconnect() {
    doClose();
  }

  @Override
  protected void doClose() {
    if (open) {
      open = false;
      end.leave();
    }
  }

  @Override
  protected void doBeginRead() {
    if (stopped) {
      stopped = false;
      end.readsAgain();
    }
  }

  @Override
  protected void doWrite(ChannelOutboundBuffer flushed) {
    try {
      end.send(flushed);
    } catch (Throwable e) { // Netty would make it that of a broken socket, which is not logged
      pipeline().fireExceptionCaught(e);
    }
  }

  @Override
  public ChannelConfig config() {
    return config;
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public boolean isActive() {
    return open;
  }

  @Override
  public ChannelMetadata metadata() {
    return METADATA;
  }
}
