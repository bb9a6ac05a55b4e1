package sluice.gateway.dispatch.policy;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DuplexChannel;

/** Channel without a socket whose output can be closed alone: later bytes are lost. */
class HalfClosableChannel extends EmbeddedChannel implements DuplexChannel {
  private boolean outputShutDown;

  @Override
  protected void doWrite(ChannelOutboundBuffer in) throws Exception {
    if (outputShutDown) {
      while (in.current() != null) {
        in.remove();
      }
    } else {
      super.doWrite(in);
    }
  }

  @Override
  public Channel parent() {
    return null;
  }

  @Override
  public boolean isInputShutdown() {
    return false;
  }

  @Override
  public boolean isOutputShutdown() {
    return outputShutDown;
  }

  @Override
  public boolean isShutdown() {
    return false;
  }

  @Override
  public ChannelFuture shutdownOutput() {
    return shutdownOutput(newPromise());
  }

  @Override
  public ChannelFuture shutdownOutput(ChannelPromise promise) {
    outputShutDown = true;
    return promise.setSuccess();
  }

  @Override
  public ChannelFuture shutdownInput() {
    return shutdownInput(newPromise());
  }

  @Override
  public ChannelFuture shutdownInput(ChannelPromise promise) {
    throw new UnsupportedOperationException();
  }

  @Override
  public ChannelFuture shutdown() {
    return shutdown(newPromise());
  }

  @Override
  public ChannelFuture shutdown(ChannelPromise promise) {
    throw new UnsupportedOperationException();
  }
}
