package sluice.perf.simulation.system;

import io.netty.channel.AbstractServerChannel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** Listening channel on a simulated network. */
final class SimulatedServerChannel extends AbstractServerChannel
    implements SimulatedNetwork.Listener, SimulatedSockets.Handled {
  private final SimulatedNetwork network;
  private final SimulatedConfig config = new SimulatedConfig(this, () -> {});
  private final ArrayDeque<SimulatedSocket> backlog = new ArrayDeque<>();
  private @Nullable InetSocketAddress bound;
  private boolean open = true;

  SimulatedServerChannel(SimulatedNetwork network) {
    this.network = network;
  }

  @Override
  public void accept(SimulatedSocket socket) {
    backlog.add(socket);
    loop().sockets().isReady(this);
  }

  private SimulatedEventLoop loop() {
    return (SimulatedEventLoop) eventLoop();
  }

  @Override
  public void handle() {
    if (!config.isAutoRead()) {
      return;
    }
    boolean any = false;
    for (int i = 0; i < 16 && open && !backlog.isEmpty(); i++) {
      any = true;
      pipeline().fireChannelRead(new SimulatedChannel(network, this, backlog.remove()));
    }
    if (any) {
      pipeline().fireChannelReadComplete();
    }
    if (open && !backlog.isEmpty()) {
      loop().sockets().isReady(this);
    }
  }

  @Override
  public void closeNow() {
    unsafe().close(unsafe().voidPromise());
  }

  @Override
  protected void doBeginRead() {
    if (!backlog.isEmpty()) {
      loop().sockets().isReady(this);
    }
  }

  @Override
  protected boolean isCompatible(EventLoop loop) {
    return loop instanceof SimulatedEventLoop;
  }

  @Override
  protected @Nullable SocketAddress localAddress0() {
    return bound;
  }

  @Override
  protected void doRegister(ChannelPromise promise) {
    loop().sockets().add(this);
    promise.setSuccess();
  }

  @Override
  protected void doDeregister() {
    loop().sockets().remove(this);
  }

  @Override
  protected void doBind(SocketAddress local) throws BindException {
    InetSocketAddress asked = (InetSocketAddress) local;
    InetSocketAddress address =
        asked.getPort() == 0
            ? new InetSocketAddress(asked.getHostString(), network.freePort())
            : asked;
    if (!network.listen(address, this)) {
      throw new BindException("Address already in use");
    }
    bound = address;
  }

  @Override
  protected void doClose() {
    open = false;
    if (bound != null) {
      network.release(bound);
    }
    backlog.forEach(SimulatedSocket::reset);
    backlog.clear();
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
    return open && bound != null;
  }
}
