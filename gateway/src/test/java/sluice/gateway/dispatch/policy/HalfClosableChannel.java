package sluice.gateway.dispatch.policy;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DuplexChannel;

/**
 * Channel without a socket of which each direction ends alone, as that of a socket does. Bytes that
 * are flushed after the end of the output are lost.
 */
public final class HalfClosableChannel extends EmbeddedChannel implements DuplexChannel {
  private boolean inputShut;
  private boolean outputShut;

  @Override
  protected void doWrite(ChannelOutboundBuffer in) throws Exception {
    if (outputShut) {
      while (in.current() != null) {
        in.remove();
      }
    } else {
      super.doWrite(in);
    }
  }

  @Override
  public boolean isInputShutdown() {
    return inputShut;
  }

  @Override
  public ChannelFuture shutdownInput() {
    return shutdownInput(newPromise());
  }

  @Override
  public ChannelFuture shutdownInput(ChannelPromise promise) {
    inputShut = true;
    return promise.setSuccess();
  }

  @Override
  public boolean isOutputShutdown() {
    return outputShut;
  }

  @Override
  public ChannelFuture shutdownOutput() {
    return shutdownOutput(newPromise());
  }

  @Override
  public ChannelFuture shutdownOutput(ChannelPromise promise) {
    outputShut = true;
    return promise.setSuccess();
  }

  @Override
  public boolean isShutdown() {
    return inputShut && outputShut;
  }

  @Override
  public ChannelFuture shutdown() {
    return shutdown(newPromise());
  }

  @Override
  public ChannelFuture shutdown(ChannelPromise promise) {
    inputShut = true;
    return shutdownOutput(promise);
  }
}
