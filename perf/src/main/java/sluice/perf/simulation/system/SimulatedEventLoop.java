package sluice.perf.simulation.system;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.util.concurrent.AbstractScheduledEventExecutor;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocal;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.Ticker;
import io.netty.util.internal.InternalThreadLocalMap;
import io.netty.util.internal.ThreadExecutorMap;
import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Event loop without a thread of its own. The simulator runs its iterations: ready sockets first,
 * then tasks and timers. Tasks of other loops come between them, in their order.
 *
 * <p>Netty's own {@code ManualIoEventLoop} takes its owner's thread for the loop. All loops of a
 * simulation share one thread, so a loop would run the tasks that it hands to another one itself.
 * Here, code is on a loop only while that loop's iteration runs, and each loop has Netty's
 * thread-local objects to itself.
 */
final class SimulatedEventLoop extends AbstractScheduledEventExecutor implements EventLoop {
  private static final int MOST_TASKS = 4096;

  /** Nanoseconds until an iteration begins. A busy loop finds several sockets ready at once. */
  private static final int[] DELAYS = {30_000, 300_000, 3_000_000};

  private final class Time implements Ticker {
    @Override
    public long initialNanoTime() {
      return 0;
    }

    @Override
    public long nanoTime() {
      return simulator.now();
    }

    @Override
    public void sleep(long delay, TimeUnit unit) {
      throw new UnsupportedOperationException("found a sleep on an event loop");
    }
  }

  private final class Context implements IoHandlerContext {
    @Override
    public boolean canBlock() {
      return !hasTasks() && !hasScheduledTasks();
    }

    @Override
    public long delayNanos(long currentTimeNanos) {
      return 0;
    }

    @Override
    public long deadlineNanos() {
      return nextScheduledTaskDeadlineNanos();
    }
  }

  private final Simulator simulator;
  private final EventLoopGroup group;
  private final SimulatedSockets sockets = new SimulatedSockets(this);
  private final IoHandler handler;
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>(); // its own, and timers
  private final ArrayDeque<Runnable> arrived = new ArrayDeque<>(); // from elsewhere
  private final Context context = new Context();
  private final Time time = new Time();
  private final Promise<?> terminated = new DefaultPromise<>(ImmediateEventExecutor.INSTANCE);
  private final int number;
  private final int delay; // at most, from what wakes it to its iteration
  private @Nullable InternalThreadLocalMap locals; // null until the first iteration
  private Simulator.@Nullable Event next; // the next iteration, if one is scheduled
  private boolean initialized;
  private boolean shuttingDown;
  private long busyUntil;

  SimulatedEventLoop(
      Simulator simulator, EventLoopGroup group, int number, IoHandlerFactory handlers) {
    super(group);
    this.simulator = simulator;
    this.group = group;
    this.number = number;
    this.delay = DELAYS[simulator.timing().nextInt(DELAYS.length)];
    this.handler = handlers.newHandler(this);
  }

  Simulator simulator() {
    return simulator;
  }

  SimulatedSockets sockets() {
    return sockets;
  }

  /** Runs no iteration before that time. */
  void pauseUntil(long until) {
    busyUntil = Math.max(busyUntil, until);
    Simulator.Event planned = next;
    if (planned != null && planned.isPending() && planned.time() < busyUntil) {
      planned.cancel();
      next = null;
      runAt(busyUntil);
    }
  }

  /** Runs an iteration soon. */
  void wake() {
    if (simulator.current() != this) {
      runAt(simulator.now() + simulator.timing().nextInt(1_000, delay));
    }
  }

  private void runAt(long wanted) {
    if (terminated.isDone()) {
      return;
    }
    long at = Math.max(wanted, busyUntil);
    Simulator.Event planned = next;
    if (planned != null && planned.isPending()) {
      if (planned.time() <= at) {
        return;
      }
      planned.cancel();
    }
    next = simulator.at(at, this::iterate);
  }

  private void iterate() {
    next = null;
    SimulationThread thread = SimulationThread.current();
    InternalThreadLocalMap outside = thread.threadLocalMap();
    thread.setThreadLocalMap(locals);
    simulator.enter(this);
    EventExecutor before = ThreadExecutorMap.setCurrentExecutor(this);
    simulator.trace("loop", number, tasks.size() + arrived.size());
    boolean again = true;
    try {
      again = iterateHere();
    } catch (RuntimeException | Error e) {
      simulator.failed("an iteration failed", e);
    } finally {
      ThreadExecutorMap.setCurrentExecutor(before);
      if (terminated.isDone()) {
        FastThreadLocal.removeAll();
      }
      locals = thread.threadLocalMap();
      simulator.enter(null);
      thread.setThreadLocalMap(outside);
    }
    busyUntil = Math.max(busyUntil, simulator.now() + simulator.timing().nextInt(1_000, 20_000));
    if (again) {
      runAt(busyUntil);
    } else {
      long deadline = nextScheduledTaskDeadlineNanos();
      if (deadline >= 0) {
        runAt(deadline);
      }
    }
  }

  private boolean iterateHere() {
    if (!initialized) {
      initialized = true;
      handler.initialize();
    }
    if (shuttingDown) {
      sockets.closeAll();
      cancelScheduledTasks();
    } else {
      handler.run(context);
    }
    fetchFromScheduledTaskQueue(tasks);
    for (int ran = 0; ran < MOST_TASKS; ran++) {
      Runnable task = nextTask();
      if (task == null) {
        break;
      }
      try {
        task.run();
      } catch (RuntimeException | Error e) {
        simulator.failed("a task of an event loop failed", e);
      }
    }
    if (shuttingDown && !hasTasks()) {
      terminated.trySuccess(null);
      return false;
    }
    return shuttingDown || hasTasks() || !sockets.canBlock();
  }

  private boolean hasTasks() {
    return !tasks.isEmpty() || !arrived.isEmpty();
  }

  /** The next task. Other threads add theirs while an iteration runs, so between any two of it. */
  private @Nullable Runnable nextTask() {
    boolean fromElsewhere =
        !arrived.isEmpty() && (tasks.isEmpty() || simulator.timing().nextInt(3) == 0);
    return fromElsewhere ? arrived.poll() : tasks.poll();
  }

  @Override
  public boolean inEventLoop(Thread thread) {
    return simulator.current() == this && thread instanceof SimulationThread;
  }

  @Override
  public void execute(Runnable task) {
    if (!(Thread.currentThread() instanceof SimulationThread)) {
      simulator.calledBy(Thread.currentThread());
    }
    if (terminated.isDone()) {
      throw new RejectedExecutionException("event loop terminated");
    }
    (simulator.current() == this ? tasks : arrived).add(task);
    wake();
  }

  @Override
  public Ticker ticker() {
    return time;
  }

  @Override
  public EventLoopGroup parent() {
    return group;
  }

  @Override
  public EventLoop next() {
    return this;
  }

  @Override
  public ChannelFuture register(Channel channel) {
    return register(new DefaultChannelPromise(channel, this));
  }

  @Override
  public ChannelFuture register(ChannelPromise promise) {
    promise.channel().unsafe().register(this, promise);
    return promise;
  }

  @Override
  @Deprecated
  public ChannelFuture register(Channel channel, ChannelPromise promise) {
    channel.unsafe().register(this, promise);
    return promise;
  }

  @Override
  public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
    if (!shuttingDown) {
      shuttingDown = true;
      wake();
    }
    return terminated;
  }

  @Override
  @Deprecated
  public void shutdown() {
    throw new UnsupportedOperationException("found shutdown, expected shutdownGracefully");
  }

  @Override
  public Future<?> terminationFuture() {
    return terminated;
  }

  @Override
  public boolean isShuttingDown() {
    return shuttingDown;
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

  @Override
  public String toString() {
    return "event loop " + number;
  }
}
