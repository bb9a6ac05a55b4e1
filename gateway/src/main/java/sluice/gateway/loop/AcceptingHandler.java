package sluice.gateway.loop;

import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.gateway.time.Clocks;

/**
 * First handler of a channel that accepts connections. If the system refuses one, for example
 * because the process has too many open files, it tries again after a second, as Netty does. Netty
 * would log a stack trace each time; this handler logs one line, and once a minute while that goes
 * on.
 */
final class AcceptingHandler extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(AcceptingHandler.class);
  private static final long PAUSE_MILLIS = 1_000;
  private static final long LINES_NANOS = TimeUnit.MINUTES.toNanos(1);

  private boolean everLogged;
  private long loggedAt;

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (!(cause instanceof IOException)) {
      ctx.fireExceptionCaught(cause);
      return;
    }
    ChannelConfig config = ctx.channel().config();
    if (config.isAutoRead()) {
      config.setAutoRead(false);
      ctx.channel()
          .eventLoop()
          .schedule(() -> config.setAutoRead(true), PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }
    long now = Clocks.nanos();
    if (!everLogged || now - loggedAt >= LINES_NANOS) {
      everLogged = true;
      loggedAt = now;
      LOG.warn(
          "cannot accept connections at {}: {}; trying again every second",
          String.valueOf(ctx.channel().localAddress()).replaceFirst("^/", ""),
          reason(cause));
    }
  }

  /** The system's words, without the name of the system call. */
  private static String reason(Throwable cause) {
    String message = String.valueOf(cause.getMessage());
    return message.substring(message.lastIndexOf(": ") + 1).strip();
  }
}
