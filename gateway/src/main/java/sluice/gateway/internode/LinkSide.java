package sluice.gateway.internode;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.WriteBufferWaterMark;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import sluice.gateway.loop.Connection;
import sluice.gateway.loop.Loop;
import sluice.gateway.net.PeerLoss;
import sluice.gateway.tls.TlsException;

/**
 * One of a link's two sockets. What comes in goes to the link; what it is full of stops the other.
 */
abstract class LinkSide extends Connection {
  /** The link that has the two sides. */
  interface Owner {
    /** Takes what the initiator sent. Consumes bytes. */
    void fromInitiator(ByteBuf bytes);

    /** Takes what the acceptor sent. Consumes bytes. */
    void fromAcceptor(ByteBuf bytes);

    LinkSide initiator();

    /** Null until the server is connected. */
    LinkSide acceptor();

    /** What was written to the server in this turn has been given to its socket. */
    void flushed();

    /** TLS failed on one of the two sockets, which closes next. */
    void tlsFailed(LinkSide side, TlsException failure);

    /** One of the two sockets has closed. */
    void closed(LinkSide side);
  }

  /** The other side does not take what was sent to it. */
  static final int PEER_SLOW = 1;

  /** The handshake is not done: what follows it must wait. */
  static final int HANDSHAKE = 2;

  /** The process holds too much. */
  static final int MEMORY = 4;

  /** How long a peer may take over what is left for it when the link ends. */
  private static final long CLOSING_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Unacknowledged bytes of messages, as {@code internode_tcp_user_timeout} of a node. */
  static final int USER_TIMEOUT_MILLIS = 30_000;

  /** Of streams, as {@code internode_streaming_tcp_user_timeout}. */
  static final int STREAM_USER_TIMEOUT_MILLIS = 300_000;

  final Owner link;
  private final int highWater;

  LinkSide(Loop loop, Owner link, long inFlightBytes) {
    super(loop, inFlightBytes);
    this.link = link;
    this.highWater = (int) Math.min(Integer.MAX_VALUE, inFlightBytes);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    super.handlerAdded(ctx);
    channel().config().setWriteBufferWaterMark(new WriteBufferWaterMark(highWater / 2, highWater));
    PeerLoss.probe(channel());
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    loop.tick();
    read((ByteBuf) message);
  }

  /**
   * A link shares its sockets with no other: what was read can leave with nothing else, and whoever
   * waits for it begins the sooner.
   */
  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    LinkSide other = other();
    if (other != null) {
      other.flushAtOnce();
    }
    ctx.fireChannelReadComplete();
  }

  /** Consumes what was read. */
  abstract void read(ByteBuf bytes);

  /** The side that what is read here is sent to; null while there is none. */
  abstract LinkSide other();

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    LinkSide other = other();
    if (other != null) {
      if (channel().isWritable()) {
        other.resume(PEER_SLOW);
      } else {
        other.pause(PEER_SLOW);
      }
    }
    ctx.fireChannelWritabilityChanged();
  }

  final void stopReading(int reason) {
    pause(reason);
  }

  final void readAgain(int reason) {
    resume(reason);
  }

  final boolean isStopped(int reason) {
    return isPaused(reason);
  }

  /** Makes sure that no peer keeps a closed link's last bytes for ever. */
  final void sweep() {
    account();
    abortIfClosingFor(CLOSING_NANOS);
  }

  @Override
  protected final void lost(IOException failure) {
    if (failure instanceof TlsException tls) {
      link.tlsFailed(this, tls);
    }
  }

  @Override
  protected final void closed() {
    link.closed(this);
  }

  /** The node that opened the link. */
  static final class Initiator extends LinkSide {
    Initiator(Loop loop, Owner link, long inFlightBytes) {
      super(loop, link, inFlightBytes);
    }

    @Override
    void read(ByteBuf bytes) {
      link.fromInitiator(bytes);
    }

    @Override
    LinkSide other() {
      return link.acceptor();
    }
  }

  /** The node that the link leads to. */
  static final class Acceptor extends LinkSide {
    private final boolean streams;

    Acceptor(Loop loop, Owner link, long inFlightBytes, boolean streams) {
      super(loop, link, inFlightBytes);
      this.streams = streams;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
      super.handlerAdded(ctx);
      PeerLoss.userTimeout(channel(), streams ? STREAM_USER_TIMEOUT_MILLIS : USER_TIMEOUT_MILLIS);
    }

    @Override
    void read(ByteBuf bytes) {
      link.fromAcceptor(bytes);
    }

    @Override
    LinkSide other() {
      return link.initiator();
    }

    @Override
    protected void flushed() {
      link.flushed();
    }
  }
}
