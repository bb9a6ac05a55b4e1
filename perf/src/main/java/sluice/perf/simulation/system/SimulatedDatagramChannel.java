package sluice.perf.simulation.system;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.DatagramChannelConfig;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.socket.DefaultDatagramChannelConfig;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** Channel for queries by UDP, whose answers arrive in any order, or not at all. */
final class SimulatedDatagramChannel extends AbstractChannel
    implements DatagramChannel, SimulatedSockets.Handled {
  private static final ChannelMetadata METADATA = new ChannelMetadata(true, 16);

  private record Arrived(byte[] bytes, InetSocketAddress from) {}

  private final SimulatedNetwork network;
  private final InetSocketAddress local;
  private final ArrayDeque<Arrived> arrived = new ArrayDeque<>();
  private final DatagramSocket unbound; // the configuration needs one
  private final DatagramChannelConfig config;
  private boolean open = true;

  SimulatedDatagramChannel(SimulatedNetwork network, String host) {
    super(null, new SimulatedChannel.SimulatedId(network.simulator()));
    this.network = network;
    local = new InetSocketAddress(host, network.freePort());
    try {
      unbound = new DatagramSocket(null);
    } catch (SocketException e) {
      throw new IllegalStateException("no socket for the configuration of a channel", e);
    }
    config = new DefaultDatagramChannelConfig(this, unbound);
  }

  @Override
  public void handle() {
    while (open && !arrived.isEmpty()) {
      Arrived next = arrived.removeFirst();
      ByteBuf bytes = config.getAllocator().buffer(Math.max(1, next.bytes().length));
      bytes.writeBytes(next.bytes());
      pipeline().fireChannelRead(new DatagramPacket(bytes, local, next.from()));
    }
    pipeline().fireChannelReadComplete();
  }

  @Override
  public void closeNow() {
    unsafe().close(unsafe().voidPromise());
  }

  @Override
  protected void doWrite(ChannelOutboundBuffer in) {
    for (Object message = in.current(); message != null; message = in.current()) {
      DatagramPacket packet = (DatagramPacket) message;
      ByteBuf content = packet.content();
      byte[] bytes = new byte[content.readableBytes()];
      content.getBytes(content.readerIndex(), bytes);
      InetSocketAddress to = packet.recipient();
      network.query(local, to, bytes, reply -> receive(reply, to));
      in.remove();
    }
  }

  private void receive(byte[] bytes, InetSocketAddress from) {
    if (open && isRegistered()) {
      arrived.add(new Arrived(bytes, from));
      ((SimulatedEventLoop) eventLoop()).sockets().isReady(this);
    }
  }

  private final class DatagramUnsafe extends AbstractUnsafe {
    @Override
    public void connect(SocketAddress remote, SocketAddress from, ChannelPromise promise) {
      promise.setFailure(
          new UnsupportedOperationException("found a connect of a datagram channel"));
    }
  }

  @Override
  protected AbstractUnsafe newUnsafe() {
    return new DatagramUnsafe();
  }

  @Override
  protected boolean isCompatible(EventLoop loop) {
    return loop instanceof SimulatedEventLoop;
  }

  @Override
  protected SocketAddress localAddress0() {
    return local;
  }

  @Override
  protected @Nullable SocketAddress remoteAddress0() {
    return null;
  }

  @Override
  protected void doRegister(ChannelPromise promise) {
    ((SimulatedEventLoop) eventLoop()).sockets().add(this);
    promise.setSuccess();
  }

  @Override
  protected void doDeregister() {
    ((SimulatedEventLoop) eventLoop()).sockets().remove(this);
  }

  @Override
  protected void doBind(SocketAddress address) {
    // any address is fine
  }

  @Override
  protected void doDisconnect() {
    doClose();
  }

  @Override
  protected void doClose() {
    open = false;
    arrived.clear();
    unbound.close();
  }

  @Override
  protected void doBeginRead() {
    // it always reads
  }

  @Override
  public DatagramChannelConfig config() {
    return config;
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public boolean isActive() {
    return open && isRegistered();
  }

  @Override
  public boolean isConnected() {
    return false;
  }

  @Override
  public ChannelMetadata metadata() {
    return METADATA;
  }

  @Override
  public InetSocketAddress localAddress() {
    return local;
  }

  @Override
  @SuppressWarnings("NullAway") // as declared by Netty: null if it is not connected
  public InetSocketAddress remoteAddress() {
    return null;
  }

  // --- multicast, which nothing here uses -----------------------------------------------------

  private static UnsupportedOperationException multicast() {
    return new UnsupportedOperationException("found multicast, expected queries");
  }

  @Override
  public ChannelFuture joinGroup(InetAddress group) {
    throw multicast();
  }

  @Override
  public ChannelFuture joinGroup(InetAddress group, ChannelPromise promise) {
    throw multicast();
  }

  @Override
  public ChannelFuture joinGroup(InetSocketAddress group, NetworkInterface via) {
    throw multicast();
  }

  @Override
  public ChannelFuture joinGroup(
      InetSocketAddress group, NetworkInterface via, ChannelPromise promise) {
    throw multicast();
  }

  @Override
  public ChannelFuture joinGroup(
      InetAddress group, NetworkInterface via, @Nullable InetAddress source) {
    throw multicast();
  }

  @Override
  public ChannelFuture joinGroup(
      InetAddress group,
      NetworkInterface via,
      @Nullable InetAddress source,
      ChannelPromise promise) {
    throw multicast();
  }

  @Override
  public ChannelFuture leaveGroup(InetAddress group) {
    throw multicast();
  }

  @Override
  public ChannelFuture leaveGroup(InetAddress group, ChannelPromise promise) {
    throw multicast();
  }

  @Override
  public ChannelFuture leaveGroup(InetSocketAddress group, NetworkInterface via) {
    throw multicast();
  }

  @Override
  public ChannelFuture leaveGroup(
      InetSocketAddress group, NetworkInterface via, ChannelPromise promise) {
    throw multicast();
  }

  @Override
  public ChannelFuture leaveGroup(
      InetAddress group, NetworkInterface via, @Nullable InetAddress source) {
    throw multicast();
  }

  @Override
  public ChannelFuture leaveGroup(
      InetAddress group,
      NetworkInterface via,
      @Nullable InetAddress source,
      ChannelPromise promise) {
    throw multicast();
  }

  @Override
  public ChannelFuture block(InetAddress group, NetworkInterface via, InetAddress source) {
    throw multicast();
  }

  @Override
  public ChannelFuture block(
      InetAddress group, NetworkInterface via, InetAddress source, ChannelPromise promise) {
    throw multicast();
  }

  @Override
  public ChannelFuture block(InetAddress group, InetAddress source) {
    throw multicast();
  }

  @Override
  public ChannelFuture block(InetAddress group, InetAddress source, ChannelPromise promise) {
    throw multicast();
  }
}
