package sluice.gateway.loop;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.util.concurrent.FastThreadLocal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drives the sockets of an event loop as the transport's own handler does, and ends the loop's
 * {@link Turn} when all that were ready have been handled.
 *
 * <p>A task in the loop's queue could do that too, for some atomic operations and readings of the
 * clock more; with little to do, every third request has a turn of its own.
 */
final class TurnHandler implements IoHandler, IoHandlerContext {
  /** What is to be done when all sockets that were ready have been handled. */
  interface Ending extends Runnable {
    /** Whether there is something to be done. */
    boolean hasBegun();
  }

  private static final Logger LOG = LoggerFactory.getLogger(TurnHandler.class);
  private static final FastThreadLocal<TurnHandler> OF_THREAD = new FastThreadLocal<>();

  private final IoHandler sockets;
  private IoHandlerContext context;
  private Ending turn;

  /** Consumes sockets, the transport's own. */
  TurnHandler(IoHandler sockets) {
    this.sockets = sockets;
  }

  /** That of the event loop whose thread this is; null: it has none. */
  static TurnHandler current() {
    return OF_THREAD.getIfExists();
  }

  /** The turn to end. It is that of the one {@link Loop} that this event loop has. */
  void ends(Ending of) {
    turn = of;
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
    if (turn != null && turn.hasBegun()) {
      try {
        turn.run();
      } catch (Throwable e) { // it would end the event loop
        LOG.error("the end of a turn failed because of an error in this program", e);
      }
    }
    return handled;
  }

  /** Not before the end of a turn that has begun, in a task or by what waits for one more. */
  @Override
  public boolean canBlock() {
    return context.canBlock() && (turn == null || !turn.hasBegun());
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
