package sluice.gateway.loop;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.gateway.time.Clocks;

/**
 * First handler of a channel that accepts connections. It accepts no more while many of them wait
 * for their event loops. Vert.x accepts on a thread of its own, faster than loops can refuse
 * connections, and each takes some KiB of heap. The others wait in the kernel.
 *
 * <p>If the system refuses a connection, for example because the process has too many open files,
 * the handler tries again after a second, as Netty does. Netty would log a stack trace each time;
 * this handler logs one line, and once a minute while that goes on.
 */
final class AcceptingHandler extends ChannelInboundHandlerAdapter {
  /** Connections that wait for their event loops: less than 1 MiB of heap. */
  static final int MOST_WAITING = 128;

  private static final Logger LOG = LoggerFactory.getLogger(AcceptingHandler.class);
  private static final long PAUSE_MILLIS = 1_000;
  private static final long LINES_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Channel acceptor;
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicBoolean full = new AtomicBoolean(); // from MOST_WAITING until half of it
  private boolean refused; // by the system, less than a second ago
  private boolean everLogged;
  private long loggedAt;

  /** Handler for one channel. */
  AcceptingHandler(Channel acceptor) {
    this.acceptor = acceptor;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    Channel accepted = (Channel) message;
    if (waiting.incrementAndGet() >= MOST_WAITING) {
      full.set(true);
      update();
    }
    ctx.fireChannelRead(message);
    if (accepted.isOpen()) {
      accepted.eventLoop().execute(this::taken); // after the loop has taken it
    } else {
      taken(); // perhaps it has no loop
    }
  }

  /** A connection does not wait any more; from any thread. */
  private void taken() {
    if (waiting.decrementAndGet() <= MOST_WAITING / 2
        && full.compareAndSet(true, false)
        && acceptor.isOpen()) {
      acceptor.eventLoop().execute(this::update);
    }
  }

  private void update() {
    acceptor.config().setAutoRead(!full.get() && !refused);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (!(cause instanceof IOException)) {
      ctx.fireExceptionCaught(cause);
      return;
    }
    if (!refused) {
      refused = true;
      update();
      acceptor
          .eventLoop()
          .schedule(
              () -> {
                refused = false;
                update();
              },
              PAUSE_MILLIS,
              TimeUnit.MILLISECONDS);
    }
    long now = Clocks.nanos();
    if (!everLogged || now - loggedAt >= LINES_NANOS) {
      everLogged = true;
      loggedAt = now;
      LOG.warn(
          "cannot accept connections at {}: {}; trying again every second",
          String.valueOf(acceptor.localAddress()).replaceFirst("^/", ""),
          reason(cause));
    }
  }

  /** The system's words, without the name of the system call. */
  private static String reason(Throwable cause) {
    String message = String.valueOf(cause.getMessage());
    return message.substring(message.lastIndexOf(": ") + 1).strip();
  }
}
