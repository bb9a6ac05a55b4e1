package sluice.gateway.loop;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.util.concurrent.FastThreadLocal;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * I/O handler of an event loop that drives its sockets as the transport's own handler does. After
 * all ready sockets were handled, it ends the loop's {@link FlushScheduler}.
 *
 * <p>A task in the loop's queue could do the same, at the price of some atomic operations and clock
 * readings. Under low load, every third request has its own loop iteration.
 */
final class IterationHandler implements IoHandler, IoHandlerContext {
  /** Work at the end of a loop iteration, after all ready sockets. */
  interface Ending extends Runnable {
    /** Whether there is work to do. */
    boolean hasBegun();
  }

  private static final Logger LOG = LoggerFactory.getLogger(IterationHandler.class);
  private static final FastThreadLocal<IterationHandler> OF_THREAD = new FastThreadLocal<>();

  private final IoHandler sockets;

  @SuppressWarnings("NullAway.Init") // set by run, which comes first
  private IoHandlerContext context;

  private @Nullable Ending ending;

  /** Consumes sockets, the transport's own handler. */
  IterationHandler(IoHandler sockets) {
    this.sockets = sockets;
  }

  /** The handler of the event loop whose thread this is; null if it has none. */
  static @Nullable IterationHandler current() {
    return OF_THREAD.getIfExists();
  }

  /** Sets the work for the end of iterations, by the only {@link Loop} of this event loop. */
  void ends(Ending of) {
    ending = of;
  }

  @Override
  public void initialize() {
    sockets.initialize();
    OF_THREAD.set(this);
  }

  @Override
  public int run(IoHandlerContext of) {
    context = of;
    int handled = sockets.run(this);
    if (ending != null && ending.hasBegun()) {
      try {
        ending.run();
      } catch (Throwable e) { // it would end the event loop
        LOG.error("the end of a loop iteration failed because of an internal error", e);
      }
    }
    return handled;
  }

  /**
   * Whether the loop may sleep: not if the end of an iteration is still to come, in a task or
   * because a connection waits for one more iteration.
   */
  @Override
  public boolean canBlock() {
    return context.canBlock() && (ending == null || !ending.hasBegun());
  }

  @Override
  public long delayNanos(long currentTimeNanos) {
    return context.delayNanos(currentTimeNanos);
  }

  @Override
  public long deadlineNanos() {
    return context.deadlineNanos();
  }

  @Override
  public void reportActiveIoTime(long activeNanos) {
    context.reportActiveIoTime(activeNanos);
  }

  @Override
  public boolean shouldReportActiveIoTime() {
    return context.shouldReportActiveIoTime();
  }

  @Override
  public void prepareToDestroy() {
    sockets.prepareToDestroy();
  }

  @Override
  public void destroy() {
    sockets.destroy();
  }

  @Override
  public IoRegistration register(IoHandle handle) throws Exception {
    IoRegistration registration = sockets.register(handle);
    return handle instanceof EpollIoHandle
        ? new HalfClosedRegistration(registration)
        : registration;
  }

  @Override
  public void wakeup() {
    sockets.wakeup();
  }

  @Override
  public boolean isCompatible(Class<? extends IoHandle> handleType) {
    return sockets.isCompatible(handleType);
  }
}
