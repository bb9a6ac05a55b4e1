package sluice.gateway.client.leaving;

import io.netty.channel.Channel;
import io.netty.channel.socket.DuplexChannel;
import java.util.concurrent.TimeUnit;
import sluice.gateway.net.Sockets;

/**
 * Close of a connection whose client may still be sending. Bytes that were not read at the close
 * would make the kernel send a reset, and the client could lose replies that it has not read yet.
 * So the gateway first closes only its sending side. It continues to read, and drops what it reads,
 * until the client has closed its side, or for {@value #SECONDS} seconds.
 */
public final class LingeringClose {
  private static final int SECONDS = 2;

  private enum State {
    /** The connection is closed at once. */
    NOT_WANTED,
    /** The client may be sending when the connection is closed. */
    WANTED,
    /** The last reply was written. */
    BEGUN,
    /** The client can see that nothing follows. */
    SAID
  }

  private State state = State.NOT_WANTED;
  private long saidAt;

  /** The close will linger, because the client may still be sending. */
  public void want() {
    state = State.WANTED;
  }

  /** Whether the close will linger, and has not begun. */
  public boolean isWanted() {
    return state == State.WANTED;
  }

  /**
   * The last reply was written.
   *
   * @return whether the close lingers; otherwise the connection is to be closed at once
   */
  public boolean begin(Channel channel) {
    if (state == State.WANTED
        && channel instanceof DuplexChannel
        && !Sockets.isEncrypted(channel)) { // TLS has an end of its own, which is sent at the close
      state = State.BEGUN;
    }
    return hasBegun();
  }

  /** Whether the gateway waits only for the client to close its side. */
  public boolean hasBegun() {
    return state == State.BEGUN || state == State.SAID;
  }

  /**
   * Tells the client that nothing follows, as soon as the socket has taken all bytes.
   *
   * @param pendingBytes not taken yet
   * @return whether the connection is to be closed now
   */
  public boolean isOver(Channel channel, long pendingBytes, long now) {
    if (state == State.BEGUN && pendingBytes == 0) {
      state = State.SAID;
      saidAt = now;
      ((DuplexChannel) channel).shutdownOutput();
    }
    return state == State.SAID && now - saidAt > TimeUnit.SECONDS.toNanos(SECONDS);
  }
}
