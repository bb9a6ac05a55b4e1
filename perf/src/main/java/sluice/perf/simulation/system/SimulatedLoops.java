package sluice.perf.simulation.system;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.util.concurrent.AbstractEventExecutorGroup;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Group of simulated event loops. */
final class SimulatedLoops extends AbstractEventExecutorGroup implements EventLoopGroup {
  private final List<SimulatedEventLoop> loops = new ArrayList<>();
  private final Promise<?> terminated = new DefaultPromise<>(ImmediateEventExecutor.INSTANCE);
  private int handedOut;
  private int ended;

  SimulatedLoops(Simulator simulator, int first, int count, IoHandlerFactory handlers) {
    for (int i = 0; i < count; i++) {
      SimulatedEventLoop loop = new SimulatedEventLoop(simulator, this, first + i, handlers);
      loops.add(loop);
      loop.terminationFuture()
          .addListener(
              done -> {
                if (++ended == count) {
                  terminated.trySuccess(null);
                }
              });
    }
  }

  List<SimulatedEventLoop> loops() {
    return loops;
  }

  @Override
  public EventLoop next() {
    return loops.get(handedOut++ % loops.size());
  }

  @Override
  public Iterator<EventExecutor> iterator() {
    return List.<EventExecutor>copyOf(loops).iterator();
  }

  @Override
  public ChannelFuture register(Channel channel) {
    return next().register(channel);
  }

  @Override
  public ChannelFuture register(ChannelPromise promise) {
    return next().register(promise);
  }

  @Override
  @Deprecated
  public ChannelFuture register(Channel channel, ChannelPromise promise) {
    return next().register(channel, promise);
  }

  @Override
  public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
    loops.forEach(loop -> loop.shutdownGracefully(quietPeriod, timeout, unit));
    return terminated;
  }

  @Override
  public Future<?> terminationFuture() {
    return terminated;
  }

  @Override
  @Deprecated
  public void shutdown() {
    throw new UnsupportedOperationException("found shutdown, expected shutdownGracefully");
  }

  @Override
  public boolean isShuttingDown() {
    return loops.stream().allMatch(SimulatedEventLoop::isShuttingDown);
  }

  @Override
  public boolean isShutdown() {
    return terminated.isDone();
  }

  @Override
  public boolean isTerminated() {
    return terminated.isDone();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return terminated.isDone();
  }
}
