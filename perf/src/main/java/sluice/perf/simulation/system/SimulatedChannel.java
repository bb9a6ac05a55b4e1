package sluice.perf.simulation.system;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelId;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.AlreadyConnectedException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Channel of a simulated connection, which behaves as Netty's epoll channels do. */
final class SimulatedChannel extends AbstractChannel
    implements SimulatedSocket.Endpoint, SimulatedSockets.Handled {
  private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);

  private final SimulatedNetwork network;
  private final String host; // where it connects from
  private final SimulatedConfig config = new SimulatedConfig(this, this::readCleared);
  private @Nullable SimulatedSocket socket; // null until it connects
  private @Nullable ChannelPromise connecting;
  private @Nullable Future<?> connectTimeout;
  private @Nullable IOException failure; // of the connection, to be told
  private boolean open = true;
  private boolean active;
  private boolean established; // told by the network, not yet by this channel
  private boolean readPending;
  private boolean mayWrite;
  private boolean waitsForRoom;
  private boolean hangUpSeen;
  private boolean inputShutDown;
  private boolean inputEndTold;

  /** A channel that connects. */
  SimulatedChannel(SimulatedNetwork network, String host) {
    super(null, new SimulatedId(network.simulator()));
    this.network = network;
    this.host = host;
  }

  /** The channel of an accepted connection. */
  SimulatedChannel(SimulatedNetwork network, Channel parent, SimulatedSocket accepted) {
    super(parent, new SimulatedId(network.simulator()));
    this.network = network;
    host = accepted.local().getHostString();
    socket = accepted;
    active = true;
  }

  // --- what the network tells, at any time
  // -----------------------------------------------------------

  @Override
  public void connected() {
    established = true;
    ready();
  }

  @Override
  public void broken(IOException why) {
    failure = why;
    mayWrite = true; // as poll says of a connection that was reset: the next write fails
    ready();
  }

  @Override
  public void readable() {
    ready();
  }

  @Override
  public void writable() {
    mayWrite = true;
    ready();
  }

  private void ready() {
    if (isRegistered()) {
      loop().sockets().isReady(this);
    }
  }

  private SimulatedEventLoop loop() {
    return (SimulatedEventLoop) eventLoop();
  }

  // --- what the event loop handles
  // -------------------------------------------------------------------

  @Override
  public void handle() {
    if (!open) {
      return;
    }
    SimulatedUnsafe unsafe = (SimulatedUnsafe) unsafe();
    if (established) {
      established = false;
      unsafe.finishConnect();
    }
    if (mayWrite && open) {
      mayWrite = false;
      waitsForRoom = false;
      unsafe.flushNow();
    }
    SimulatedSocket of = socket;
    if (open && of != null && (of.isReadable() || failure != null)) {
      unsafe.readNow(of);
    }
  }

  @Override
  public void closeNow() {
    unsafe().close(unsafe().voidPromise());
  }

  private void readCleared() {
    readPending = false;
  }

  private final class SimulatedUnsafe extends AbstractUnsafe {
    @Override
    public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
      if (!promise.setUncancellable() || !ensureOpen(promise)) {
        return;
      }
      if (socket != null) {
        promise.setFailure(new AlreadyConnectedException());
        return;
      }
      connecting = promise;
      int timeout = config.getConnectTimeoutMillis();
      if (timeout > 0) {
        connectTimeout =
            eventLoop()
                .schedule(
                    () -> {
                      ChannelPromise waiting = connecting;
                      if (waiting != null
                          && waiting.tryFailure(
                              new ConnectTimeoutException(
                                  "connection timed out after " + timeout + " ms: " + remote))) {
                        close(voidPromise());
                      }
                    },
                    timeout,
                    TimeUnit.MILLISECONDS);
      }
      socket = network.connect(host, (InetSocketAddress) remote, SimulatedChannel.this);
    }

    void finishConnect() {
      ChannelPromise waiting = connecting;
      connecting = null;
      cancelTimeout();
      if (waiting == null) {
        return;
      }
      active = true;
      if (waiting.trySuccess()) {
        pipeline().fireChannelActive();
      } else {
        close(voidPromise());
      }
    }

    private void cancelTimeout() {
      Future<?> timeout = connectTimeout;
      connectTimeout = null;
      if (timeout != null) {
        timeout.cancel(false);
      }
    }

    @Override
    protected void flush0() {
      if (!waitsForRoom) {
        super.flush0();
      }
    }

    void flushNow() {
      super.flush0();
    }

    @SuppressWarnings("deprecation") // the only type that Netty has for it
    void readNow(SimulatedSocket from) {
      IOException broken = failure;
      ChannelPromise waiting = connecting;
      if (waiting != null && broken != null) {
        connecting = null;
        cancelTimeout();
        waiting.tryFailure(annotateConnectException(broken, from.remote()));
        closeIfClosed();
        close(voidPromise());
        return;
      }
      if (broken != null && from.available() == 0) {
        if (active) {
          failure = null;
          readPending = false;
          pipeline().fireChannelReadComplete();
          pipeline().fireExceptionCaught(broken);
        }
        close(voidPromise());
        return;
      }
      if (inputShutDown) {
        if (!inputEndTold) {
          inputEndTold = true;
          pipeline().fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
        }
        return;
      }
      // As epoll does: the end of the stream is reported once, even if nothing asked to read.
      // Then everything is read that is there.
      boolean hangsUp = !hangUpSeen && (from.hasEnd() || broken != null);
      hangUpSeen |= hangsUp;
      if (!hangsUp && !readPending && !config.isAutoRead()) {
        return;
      }
      RecvByteBufAllocator.Handle handle = recvBufAllocHandle();
      handle.reset(config);
      boolean end = false;
      do {
        ByteBuf buffer = handle.allocate(config.getAllocator());
        handle.attemptedBytesRead(buffer.writableBytes());
        handle.lastBytesRead(from.read(buffer));
        if (handle.lastBytesRead() <= 0) {
          buffer.release();
          end = handle.lastBytesRead() < 0;
          if (end) {
            readPending = false;
          }
          break;
        }
        handle.incMessagesRead(1);
        readPending = false;
        pipeline().fireChannelRead(buffer);
      } while (open && (hangsUp || handle.continueReading()));
      handle.readComplete();
      pipeline().fireChannelReadComplete();
      if (end) {
        shutdownInput();
      } else if (open
          && (failure != null || (from.isReadable() && (readPending || config.isAutoRead())))) {
        ready();
      }
    }

    private void shutdownInput() {
      if (inputShutDown) {
        return;
      }
      if (config.isAllowHalfClosure()) {
        inputShutDown = true;
        pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
      } else {
        close(voidPromise());
      }
    }
  }

  // --- what Netty asks for
  // ---------------------------------------------------------------------------

  @Override
  protected AbstractUnsafe newUnsafe() {
    return new SimulatedUnsafe();
  }

  @Override
  protected boolean isCompatible(EventLoop loop) {
    return loop instanceof SimulatedEventLoop;
  }

  @Override
  protected SocketAddress localAddress0() {
    return socket == null ? new InetSocketAddress(host, 0) : socket.local();
  }

  @Override
  protected @Nullable SocketAddress remoteAddress0() {
    return socket == null ? null : socket.remote();
  }

  @Override
  protected void doRegister(ChannelPromise promise) {
    loop().sockets().add(this);
    promise.setSuccess();
    SimulatedSocket accepted = socket;
    if (accepted != null) {
      accepted.owner(this);
    }
  }

  @Override
  protected void doDeregister() {
    loop().sockets().remove(this);
  }

  @Override
  protected void doBind(SocketAddress local) {
    // any address is fine
  }

  @Override
  protected void doDisconnect() {
    doClose();
  }

  @Override
  protected void doClose() {
    open = false;
    active = false;
    ChannelPromise waiting = connecting;
    connecting = null;
    if (waiting != null) {
      waiting.tryFailure(new java.nio.channels.ClosedChannelException());
    }
    Future<?> timeout = connectTimeout;
    if (timeout != null) {
      timeout.cancel(false);
    }
    SimulatedSocket of = socket;
    if (of != null && !of.isClosed()) {
      of.close();
    }
  }

  @Override
  protected void doShutdownOutput() {
    SimulatedSocket of = socket;
    if (of != null && !of.isClosed()) {
      of.shutdownOutput();
    }
  }

  @Override
  protected void doBeginRead() {
    readPending = true;
    SimulatedSocket of = socket;
    if (of != null && (of.isReadable() || failure != null)) {
      ready();
    }
  }

  @Override
  protected void doWrite(ChannelOutboundBuffer in) throws IOException {
    SimulatedSocket to = socket;
    while (true) {
      Object message = in.current();
      if (message == null) {
        return;
      }
      if (!(message instanceof ByteBuf buffer)) {
        throw new IOException("found " + message.getClass() + ", expected a buffer");
      }
      int length = buffer.readableBytes();
      if (length == 0) {
        in.remove();
        continue;
      }
      if (to == null || to.isClosed()) {
        throw failure == null ? new IOException("Broken pipe") : failure;
      }
      byte[] bytes = new byte[length];
      buffer.getBytes(buffer.readerIndex(), bytes);
      int taken = to.write(bytes, 0, length);
      if (taken > 0) {
        in.removeBytes(taken);
      }
      if (taken < length) {
        waitsForRoom = true;
        return;
      }
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
    return active;
  }

  @Override
  public ChannelMetadata metadata() {
    return METADATA;
  }

  @Override
  public String toString() {
    return socket
        + (open ? "" : ", closed")
        + (active ? "" : ", not active")
        + (failure == null ? "" : ", broken")
        + (readPending ? ", read pending" : "")
        + (config.isAutoRead() ? "" : ", does not read")
        + (waitsForRoom ? ", waits for room" : "")
        + (hangUpSeen ? ", hang-up seen" : "")
        + (inputShutDown ? ", input shut down" : "");
  }

  /** Number of a channel, which is the same in every run. */
  static final class SimulatedId implements ChannelId {
    private static final long serialVersionUID = 1;

    private final long number;

    SimulatedId(Simulator simulator) {
      number = simulator.product().nextLong();
    }

    @Override
    public String asShortText() {
      return Long.toHexString(number);
    }

    @Override
    public String asLongText() {
      return Long.toHexString(number);
    }

    @Override
    public int compareTo(ChannelId other) {
      return asLongText().compareTo(other.asLongText());
    }

    @Override
    public int hashCode() {
      return Long.hashCode(number);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof SimulatedId id && id.number == number;
    }
  }
}
