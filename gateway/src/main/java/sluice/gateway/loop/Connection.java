package sluice.gateway.loop;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.uring.IoUringBufferRingExhaustedEvent;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.gateway.net.Sockets;

/**
 * Socket, as the last handler before Vert.x's own. It writes without flushing, is flushed once per
 * loop iteration, and accounts for its buffered bytes. Vert.x manages the socket's lifecycle: all
 * events other than bytes are passed on.
 */
public abstract class Connection extends ChannelInboundHandlerAdapter {
  /**
   * Pending bytes are sent before the end of the loop iteration when they reach this number, or
   * half of the limit of pending bytes if that is less. The number covers several reads, so that
   * one call sends them and wakes the peer once. It is also small enough that the bytes are still
   * in the CPU's cache (ADR 0040).
   */
  private static final int FLUSH_FROM = 512 * 1024;

  private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

  protected final Loop loop;
  private final WriteBatch batch;
  private final Writer writer = new Writer();
  private final ReadGate gate = new ReadGate();
  private ChannelHandlerContext context;
  private Channel channel; // null, as its context, before there is one
  private boolean broken; // an internal error ended the connection
  private boolean closing;
  private long closingSince; // or since the peer last took bytes
  private long closingTaken; // bytes taken by then
  private long held;
  private long accounted;

  /** A connection without a limit of pending bytes. */
  protected Connection(Loop loop) {
    this(loop, Long.MAX_VALUE);
  }

  /**
   * A connection.
   *
   * @param mostPending number of pending bytes from which on its senders are paused
   */
  protected Connection(Loop loop, long mostPending) {
    this.loop = loop;
    this.batch = new WriteBatch(writer, loop, (int) Math.min(FLUSH_FROM, mostPending / 2));
  }

  /** View of the connection for its batch and the flush scheduler. */
  private final class Writer implements WriteBatch.Owner, FlushScheduler.Work {
    @Override
    public void endLine(ByteBuf line) {
      Connection.this.endLine(line);
    }

    @Override
    public boolean waitsForMore(int iterations) {
      return Connection.this.waitsForMore(iterations);
    }

    @Override
    public void flushedEarly() {
      account(); // other connections need to know how much memory is left
      Connection.this.flushedEarly();
    }

    @Override
    public void flushed() {
      account();
      Connection.this.flushed();
    }

    @Override
    public void goOn() {
      try {
        Connection.this.goOn();
      } catch (Throwable e) { // nothing else would continue the postponed work
        broken(e);
      }
    }

    @Override
    public void broken(Throwable cause) {
      Connection.this.broken(cause);
    }
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
    channel = ctx.channel();
    gate.begin(channel);
    batch.begin(ctx);
  }

  /** Whether the socket is open and bytes may be written. */
  public final boolean isOpen() {
    return batch.isOpen();
  }

  /** Whether the peer accepts no more bytes: writes are dropped. */
  protected final boolean isDeaf() {
    return batch.isDeaf();
  }

  /** Whether an internal error ended the connection. */
  protected final boolean isBroken() {
    return broken;
  }

  /** The channel, for its addresses and options. */
  public final Channel channel() {
    return channel;
  }

  /** Bytes written since the connection opened. */
  public final long bytesWritten() {
    return batch.bytesWritten();
  }

  /**
   * Writes bytes, which are sent at the end of this loop iteration. Consumes bytes, sent or not. A
   * failure ends this connection, and does not affect the caller.
   */
  public final void write(ByteBuf bytes) {
    batch.write(bytes);
  }

  /**
   * Writes the bytes [from, from + length) of source, as {@link #write(ByteBuf)}. Borrows source.
   */
  public final void write(ByteBuf source, int from, int length) {
    batch.write(source, from, length);
  }

  /**
   * Writes the bytes [from, from + length) of source, as {@link #write(ByteBuf)}. Borrows source,
   * which may be reused at once.
   */
  public final void writeCopy(ByteBuf source, int from, int length) {
    batch.writeCopy(source, from, length);
  }

  /**
   * Begins a line with a maximum length, which {@link #endLine} completes. It is written before any
   * other bytes, or at the end of this loop iteration.
   */
  protected final ByteBuf beginLine(int capacity) {
    return batch.beginLine(capacity);
  }

  /** The line that was begun and not written yet; null if there is none. Borrowed. */
  protected final @Nullable ByteBuf openLine() {
    return batch.openLine();
  }

  /** Writes the begun line, if there is one; nothing more is appended to it. */
  protected final void endOpenLine() {
    batch.endOpenLine();
  }

  /** Appends the end of a line that was begun. Borrows line. */
  protected void endLine(ByteBuf line) {}

  /**
   * Whether written bytes should wait for another loop iteration, after a number of iterations,
   * because more bytes are likely to follow that could be sent with them. Asked at the end of each
   * iteration.
   */
  protected boolean waitsForMore(int iterations) {
    return false;
  }

  /**
   * Flushes now what was written in this loop iteration, because no bytes will follow that could be
   * sent with them. A failure affects this connection only, not the caller.
   */
  protected final void flushAtOnce() {
    if (batch.awaitsFlush()) {
      batch.flush();
    }
  }

  /** Flushes, at the end of this loop iteration, bytes that could not be sent earlier. */
  protected final void flushInThisIteration() {
    batch.flushInThisIteration();
  }

  /** Schedules a call of {@link #goOn} for after the sockets that are ready now. */
  protected final void continueAfterOthers() {
    loop.goOnLater(writer);
  }

  /** Continues postponed work after the event loop has handled the other sockets. */
  protected void goOn() {}

  /** Whether it was written to since the last flush: not all of that may count as pending. */
  public final boolean awaitsFlush() {
    return batch.awaitsFlush();
  }

  /** Called after a flush before the end of the loop iteration, because many bytes were written. */
  protected void flushedEarly() {}

  /** Called once per loop iteration, after the flush. */
  protected void flushed() {}

  /** Bytes written that the socket has not accepted yet. */
  public final long pendingBytes() {
    return batch.pendingBytes();
  }

  /**
   * Bytes that the socket has accepted since the connection opened. With TLS, it is a different
   * number, which changes only when bytes are written or accepted.
   */
  public final long takenBytes() {
    return batch.takenBytes();
  }

  /** Accounts for bytes held for this connection, besides pending writes; negative: fewer. */
  public final void hold(long delta) {
    held += delta;
    account();
  }

  /** Bytes held for this connection, besides pending writes. */
  public final long heldBytes() {
    return held;
  }

  /** Updates the count of buffered bytes, because the socket accepts bytes without notice. */
  public final void account() {
    long total = held + pendingBytes();
    if (total != accounted) {
      loop.buffered(total - accounted);
      accounted = total;
    }
  }

  /** Stops reading for a reason, one bit; reading resumes when no reason is left. */
  protected final void pause(int reason) {
    gate.pause(reason, isOpen());
  }

  /** Removes a reason for not reading. */
  protected final void resume(int reason) {
    gate.resume(reason, isOpen());
  }

  /** From now on, everything is read, and the owner drops it: pausing has no effect. */
  protected final void readUntilTheEnd() {
    gate.readUntilTheEnd(isOpen());
  }

  /** The peer sends nothing more: pausing and resuming have no effect. */
  protected final void inputEnded() {
    gate.inputEnded();
  }

  /** Whether reading is paused, for any reason. */
  protected final boolean isPaused() {
    return gate.isPaused();
  }

  /** Whether reading is paused for this reason. */
  protected final boolean isPaused(int reason) {
    return gate.isPaused(reason);
  }

  /** Closes the socket after the pending writes, without a time limit. */
  public final void close() {
    if (isOpen()) {
      if (!closing) {
        closing = true;
        closingSince = loop.now();
        closingTaken = takenBytes();
      }
      batch.flushNow();
      channel.close(); // closed by Vert.x's handler, which waits for pending writes
    }
  }

  /** Closes the socket now; pending writes are lost. */
  public final void abort() {
    if (isOpen()) {
      Sockets.abort(context);
    }
  }

  /**
   * Aborts a closing socket whose peer has accepted none of the pending writes for that many
   * nanoseconds. A peer that accepts them, however slowly, gets all of them.
   */
  protected final void abortIfClosingFor(long nanos) {
    if (!closing || !isOpen()) {
      return;
    }
    long taken = takenBytes();
    if (taken != closingTaken) {
      closingTaken = taken;
      closingSince = loop.now();
    } else if (loop.now() - closingSince > nanos) {
      if (Sockets.isTaking(channel, TimeUnit.NANOSECONDS.toMillis(nanos))) {
        closingSince = loop.now();
      } else {
        abort();
      }
    }
  }

  /**
   * A broken socket is not an error of this program, and its closing suffices. Any other exception
   * is an error, after which the state is unknown: the connection is no longer used.
   *
   * <p>A socket that accepts no more bytes may still have bytes that its peer sent before.
   */
  @Override
  public final void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof IOException failure) {
      lost(failure);
      if (!readsOn(failure)) {
        abort();
      }
    } else {
      broken(cause);
    }
  }

  /** With io_uring, a read may find no buffer. Netty begins it again. */
  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
    if (event instanceof IoUringBufferRingExhaustedEvent) {
      loop.metrics().readBuffersExhausted();
    }
    ctx.fireUserEventTriggered(event);
  }

  /** Not passed on: Vert.x's handler has read nothing. */
  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {}

  /** Closes the connection, which is no longer used, because of an internal error. */
  public final void broken(Throwable cause) {
    LOG.error("a connection is closed because of an internal error", cause);
    broken = true;
    abort();
  }

  /** Whether a socket that accepts nothing is still read; if so, it is {@link #deafen deaf}. */
  protected boolean readsOn(IOException failure) {
    return false;
  }

  /** Drops unsent bytes, and all further writes. */
  protected final void deafen() {
    batch.deafen();
  }

  /** Called when the socket, or TLS on it, broke, before it is closed. */
  protected void lost(IOException failure) {}

  @Override
  public final void channelInactive(ChannelHandlerContext ctx) {
    try {
      end();
    } finally {
      ctx.fireChannelInactive(); // else Vert.x would wait for the end of this socket
    }
  }

  @Override
  public final void handlerRemoved(ChannelHandlerContext ctx) {
    end();
  }

  private void end() {
    if (isOpen()) {
      batch.close();
      loop.activeNow(); // nothing was read, but its server may have to be reached again
      account();
      closed();
      account();
    }
  }

  /** Called when the socket is closed: releases everything held, and notifies all waiters. */
  protected abstract void closed();
}
