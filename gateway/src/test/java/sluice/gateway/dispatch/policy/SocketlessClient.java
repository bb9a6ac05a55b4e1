package sluice.gateway.dispatch.policy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;
import sluice.gateway.loop.Outbound;

/** A client without a socket: the test says what it sends, and reads what it is told. */
public final class SocketlessClient {
  private boolean takes = true;
  private final EmbeddedChannel channel;
  private final Runnable run;

  /**
   * A client that has connected.
   *
   * @param run does everything that is due
   */
  SocketlessClient(ChannelHandler handler, Runnable run) {
    this.run = run;
    channel =
        new EmbeddedChannel() {
          @Override
          protected void doWrite(ChannelOutboundBuffer in) throws Exception {
            if (takes) {
              super.doWrite(in);
            }
          }
        };
    channel.pipeline().addLast(handler);
  }

  /** A client that has connected by channel, and takes what it is told. */
  SocketlessClient(EmbeddedChannel channel, ChannelHandler handler, Runnable run) {
    this.channel = channel;
    this.run = run;
    channel.pipeline().addLast(handler);
  }

  /** It sends bytes, a char a byte, and everything that is due is done. */
  public void sends(String text) {
    channel.writeInbound(Unpooled.copiedBuffer(text, ISO_8859_1));
    run.run();
  }

  /** Sets whether its socket takes what it is told. */
  public void takes(boolean now) {
    takes = now;
    if (now) {
      channel.flush();
      run.run();
    }
  }

  /** What it was told since the last call, a char a byte. */
  public String told() {
    run.run();
    return Outbound.text(channel);
  }

  /** Whether its connection is open. */
  public boolean isConnected() {
    run.run();
    return channel.isOpen();
  }

  /** It closes its connection, and waits for nothing more. */
  public void leaves() {
    channel.close();
    run.run();
  }

  boolean runTasks() {
    boolean ran = channel.hasPendingTasks();
    channel.runPendingTasks();
    return ran;
  }

  void finish() {
    channel.finishAndReleaseAll();
  }
}
