package sluice.gateway.server.shared;

import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import java.net.SocketAddress;
import sluice.gateway.server.connection.ServerConnection;

/**
 * In place of a socket: a {@link ServerConnection} whose server is reached through another event
 * loop's connection. What is flushed is put into the guest's next parcel, what arrives is read.
 */
final class GuestChannel extends AbstractChannel {
  private static final ChannelMetadata METADATA = new ChannelMetadata(false);

  /** The end of the pipe that it stands before. */
  interface End {
    /** Nothing more is read for a while. */
    void pauses();

    /** What is there is read again. */
    void readsAgain();

    /** Takes what was flushed, as far as it may leave. */
    void send(ChannelOutboundBuffer flushed);

    /** The connection is closed. */
    void leave();
  }

  private final End end;
  private final ChannelConfig config;
  private boolean open = true;

  GuestChannel(End end) {
    super(null);
    this.end = end;
    this.config =
        new DefaultChannelConfig(this) {
          @Override
          protected void autoReadCleared() {
            end.pauses();
          }
        };
  }

  /** Whether everything that was flushed has been put into a parcel. */
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
  protected SocketAddress localAddress0() {
    return null;
  }

  @Override
  protected SocketAddress remoteAddress0() {
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
    end.readsAgain();
  }

  @Override
  protected void doWrite(ChannelOutboundBuffer flushed) {
    end.send(flushed);
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
