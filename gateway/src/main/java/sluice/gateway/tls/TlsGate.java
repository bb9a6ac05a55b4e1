package sluice.gateway.tls;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.Promise;
import io.vertx.core.net.NetSocket;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import sluice.gateway.loop.Loop;
import sluice.gateway.net.Sockets;

/**
 * Handler behind Netty's TLS handler. It turns all reported errors into one {@link TlsException}.
 * When the peer announces that it sends no more, it ends the input, or closes a socket that cannot
 * be half-closed. It also counts the bytes that wait for the rest of their record or handshake.
 *
 * <p>While memory is short, a client must complete the record that it has begun. Thousands of
 * clients may stop inside one, and each keeps up to 16 KiB.
 */
final class TlsGate extends ChannelDuplexHandler {
  /**
   * Time between two looks at a record. The second one at which nothing more was decrypted ends the
   * connection: the channel may have been paused until shortly before the first.
   */
  static final int LOOK_SECONDS = 15;

  /** The beginning of a record that may stay: so many bytes. */
  private static final int MOST_AT_REST = 2 * 1024;

  private final LongConsumer buffered;
  private final TlsRecords records;
  private final NetSocket socket;
  private final @Nullable Promise<NetSocket> secured;
  private final @Nullable BooleanSupplier memoryIsShort; // null: the peer is a server
  private long counted;
  private boolean shaken;
  private boolean failed;
  private int dataReads;
  private int dataReadsThen; // at the last look
  private boolean stoodStill; // whether nothing had been decrypted then
  private @Nullable ScheduledFuture<?> nextLook; // null: no record is watched

  /**
   * The gate of one socket.
   *
   * @param buffered receives changes of the bytes buffered; negative: fewer
   * @param secured completed when the handshake is done, before anything that follows is read;
   *     failed if it fails. Null if handlers are installed already: then they get the failure
   * @param memoryIsShort whether clients that stop inside a record must go; null for a server
   */
  TlsGate(
      LongConsumer buffered,
      TlsRecords records,
      NetSocket socket,
      @Nullable Promise<NetSocket> secured,
      @Nullable BooleanSupplier memoryIsShort) {
    this.buffered = buffered;
    this.records = records;
    this.socket = socket;
    this.secured = secured;
    this.memoryIsShort = memoryIsShort;
  }

  /** The gate of a client, whose handlers get the failures. */
  static TlsGate ofClient(TlsRecords records, NetSocket socket, Loop loop) {
    return new TlsGate(loop::buffered, records, socket, null, loop.memory()::areBytesMany);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof SslHandshakeCompletionEvent handshake) {
      if (!handshake.isSuccess()) {
        fail(ctx, handshake.cause());
      } else if (!shaken) {
        shaken = true;
        records.shaken();
        if (secured != null) {
          secured.complete(socket);
        }
      }
    }
    ctx.fireUserEventTriggered(event);
    if (event instanceof SslCloseCompletionEvent closed && closed.isSuccess()) {
      records.peerEnded();
      if (Boolean.TRUE.equals(ctx.channel().config().getOption(ChannelOption.ALLOW_HALF_CLOSURE))) {
        ctx.fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE); // as a FIN does
      } else {
        Sockets.abort(ctx);
      }
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    boolean fromRecords = cause instanceof DecoderException;
    if (fromRecords || !shaken) {
      fail(ctx, fromRecords && cause.getCause() != null ? cause.getCause() : cause);
    } else {
      ctx.fireExceptionCaught(cause);
    }
  }

  /**
   * Passes a write on. Vert.x closes a socket behind an empty write, which TLS holds until the
   * handshake is done. The closed peer would then decide when the socket closes.
   */
  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (!shaken && message instanceof ByteBuf bytes && !bytes.isReadable()) {
      bytes.release();
      promise.trySuccess();
    } else {
      ctx.write(message, promise);
    }
  }

  /** Fails once: the first failure is the reason, later ones are its consequences. */
  private void fail(ChannelHandlerContext ctx, Throwable cause) {
    if (failed) {
      return;
    }
    failed = true;
    boolean left = isOfSocket(cause);
    if (!shaken && secured != null) {
      secured.fail(new TlsException(TlsReason.of(cause)));
    } else if (!left) { // a peer that only opens and closes a connection may be a probe
      ctx.fireExceptionCaught(new TlsException(TlsReason.of(cause)));
    }
    Sockets.abort(ctx);
  }

  /** Whether the socket failed, not TLS: the peer has closed or reset it. */
  private static boolean isOfSocket(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof GeneralSecurityException) {
        return false; // a certificate that cannot be read has an IOException below it
      }
      if (cause instanceof IOException && !(cause instanceof SSLException)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    records.dataCame();
    dataReads++;
    ctx.fireChannelRead(message);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    count(records.heldBytes());
    if (records.begunBytes() > MOST_AT_REST && nextLook == null && memoryIsShort != null) {
      stoodStill = false;
      lookLater(ctx, memoryIsShort);
    }
    ctx.fireChannelReadComplete();
  }

  /** Looks after some time whether the record is still incomplete. */
  private void lookLater(ChannelHandlerContext ctx, BooleanSupplier memoryIsShort) {
    dataReadsThen = dataReads;
    nextLook =
        ctx.executor().schedule(() -> look(ctx, memoryIsShort), LOOK_SECONDS, TimeUnit.SECONDS);
  }

  private void look(ChannelHandlerContext ctx, BooleanSupplier memoryIsShort) {
    nextLook = null;
    if (failed || records.begunBytes() <= MOST_AT_REST) {
      return;
    }
    boolean standsStill =
        shaken
            && dataReads == dataReadsThen
            && ctx.channel().config().isAutoRead()
            && memoryIsShort.getAsBoolean();
    if (standsStill && stoodStill) {
      fail(
          ctx,
          new SSLException("a record stayed incomplete, and process.memory is nearly used up"));
    } else {
      stoodStill = standsStill;
      lookLater(ctx, memoryIsShort);
    }
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    count(0);
    if (nextLook != null) {
      nextLook.cancel(false);
      nextLook = null;
    }
  }

  private void count(long held) {
    if (held != counted) {
      buffered.accept(held - counted);
      counted = held;
    }
  }
}
