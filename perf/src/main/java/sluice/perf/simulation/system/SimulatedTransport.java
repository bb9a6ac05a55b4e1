package sluice.perf.simulation.system;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.vertx.core.transport.Transport;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.gateway.loop.IterationTransport;

/** Transport of Vert.x over a simulated network, for one process on one host. */
public final class SimulatedTransport implements Transport {
  private final Simulator simulator;
  private final SimulatedNetwork network;
  private final String host;
  private final List<SimulatedEventLoop> loops = new ArrayList<>();

  /**
   * @param host address that the process connects from
   */
  public SimulatedTransport(Simulator simulator, SimulatedNetwork network, String host) {
    this.simulator = simulator;
    this.network = network;
    this.host = host;
  }

  /** The transport for a gateway. */
  public IterationTransport forGateway() {
    return new IterationTransport(this, (count, threads, handlers) -> group(count, handlers));
  }

  private EventLoopGroup group(int count, IoHandlerFactory handlers) {
    SimulatedLoops group = new SimulatedLoops(simulator, loops.size(), count, handlers);
    loops.addAll(group.loops());
    return group;
  }

  /** The number of event loops. */
  public int loops() {
    return loops.size();
  }

  /** A description of each open channel, for readers of a trace. */
  public List<String> channels() {
    List<String> all = new ArrayList<>();
    loops.forEach(loop -> loop.sockets().describe(all));
    return all;
  }

  /** Pauses one event loop. */
  public void pause(int loop, long nanos) {
    loops.get(loop).pauseUntil(simulator.now() + nanos);
  }

  /** Pauses the whole process. */
  public void pause(long nanos) {
    loops.forEach(loop -> loop.pauseUntil(simulator.now() + nanos));
  }

  @Override
  public String name() {
    return "simulated";
  }

  @Override
  public boolean available() {
    return true;
  }

  @Override
  public @Nullable Throwable unavailabilityCause() {
    return null;
  }

  @Override
  public io.vertx.core.spi.transport.Transport implementation() {
    return new Implementation();
  }

  private final class Implementation implements io.vertx.core.spi.transport.Transport {
    @Override
    public IoHandlerFactory ioHandlerFactory() {
      return new IoHandlerFactory() {
        @Override
        public IoHandler newHandler(ThreadAwareExecutor executor) {
          return ((SimulatedEventLoop) executor).sockets();
        }
      };
    }

    @Override
    public DatagramChannel datagramChannel() {
      return new SimulatedDatagramChannel(network, host);
    }

    @Override
    @SuppressWarnings("deprecation") // as declared by the interface
    public DatagramChannel datagramChannel(io.netty.channel.socket.InternetProtocolFamily family) {
      return datagramChannel();
    }

    @Override
    public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
      return () -> new SimulatedChannel(network, host);
    }

    @Override
    public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
      return () -> new SimulatedServerChannel(network);
    }
  }
}
