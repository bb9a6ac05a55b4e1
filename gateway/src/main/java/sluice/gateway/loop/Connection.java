package sluice.gateway.loop;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.codecs.buffer.Bytes;
import sluice.gateway.net.Sockets;

/**
 * One socket, as the last handler before Vert.x's own: it writes without flushing, is flushed once
 * a turn, and counts what it has buffered. Vert.x owns the socket's life: events that are not bytes
 * are always passed on.
 */
public abstract class Connection extends ChannelInboundHandlerAdapter {
  /** Up to so many bytes are copied to save a piece of a gathering write. */
  public static final int COPY_BELOW = 512;

  private static final int TAIL = 8 * 1024;

  /**
   * What waits is sent before the turn's end when it is so many bytes, or half of what may wait if
   * that is less: some readings' worth, so that one call sends them and wakes the peer once, and
   * few enough that they are still in the processor's cache (ADR 0040).
   */
  private static final int FLUSH_FROM = 512 * 1024;

  private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

  protected final Loop loop;
  private ChannelHandlerContext context;
  private Channel channel;
  private final int flushFrom;
  private boolean open;
  private boolean deaf; // the peer takes nothing more
  private boolean inputEnded;
  private boolean broken; // by an error in this program
  private boolean awaitsFlush;
  private int turnsWaited;
  private ByteBuf tail; // small writes of this turn, joined
  private ByteBuf openLine; // what more may be appended to; null if there is none
  private boolean closing;
  private long closingSince;
  private int pauses;
  private long held;
  private long accounted;
  private long bytesWritten;

  /** A connection for which as much may wait to be sent as its socket does not take. */
  protected Connection(Loop loop) {
    this(loop, Long.MAX_VALUE);
  }

  /**
   * A connection.
   *
   * @param mostPending from how many bytes on that wait to be sent somebody is kept waiting
   */
  protected Connection(Loop loop, long mostPending) {
    this.loop = loop;
    this.flushFrom = (int) Math.min(FLUSH_FROM, mostPending / 2);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
    channel = ctx.channel();
    open = channel.isActive();
  }

  /** Whether the socket is open and bytes may be written. */
  public final boolean isOpen() {
    return open;
  }

  /** Whether the peer takes nothing more: what is written is dropped. */
  protected final boolean isDeaf() {
    return deaf;
  }

  /** Whether an error in this program ended the connection. */
  protected final boolean isBroken() {
    return broken;
  }

  /** The channel, for its addresses and options. */
  public final Channel channel() {
    return channel;
  }

  /** Bytes written since the connection opened. */
  public final long bytesWritten() {
    return bytesWritten;
  }

  /**
   * Writes bytes, which leave at the end of this turn. Consumes bytes, sent or not, also when it
   * throws.
   */
  public final void write(ByteBuf bytes) {
    if (!open || deaf) {
      bytes.release();
      return;
    }
    boolean passed = false;
    try {
      if (openLine != null) {
        writeOpenLine();
      }
      if (joins(bytes.readableBytes())) {
        Bytes.append(bytes, bytes.readerIndex(), bytes.readableBytes(), tail);
      } else {
        passed = true;
        pass(bytes);
      }
    } finally {
      if (!passed) {
        bytes.release();
      }
    }
  }

  /**
   * Writes the bytes [from, from + length) of source, as {@link #write(ByteBuf)}. Borrows source.
   */
  public final void write(ByteBuf source, int from, int length) {
    if (!open || deaf) {
      return;
    }
    if (openLine != null) {
      writeOpenLine();
    }
    if (joins(length)) {
      Bytes.append(source, from, length, tail);
    } else {
      pass(loop.slice(source, from, length));
    }
  }

  /**
   * Writes the bytes [from, from + length) of source, which may be used for something else at once,
   * as {@link #write(ByteBuf)}. Borrows source.
   */
  public final void writeCopy(ByteBuf source, int from, int length) {
    flushInThisTurn(); // so that they join what is written behind them
    if (length <= COPY_BELOW) {
      write(source, from, length);
    } else {
      ByteBuf copy = loop.buffer(length);
      Bytes.append(source, from, length, copy);
      write(copy);
    }
  }

  /**
   * Whether so few bytes are better copied behind those of other writers than sent as a piece of
   * their own; then the tail has room for them. The first write of a turn is not: it may stay
   * alone.
   */
  private boolean joins(int length) {
    if (length > COPY_BELOW || !awaitsFlush) {
      return false;
    }
    if (tail != null && tail.writableBytes() < length) {
      passTail();
    }
    if (tail == null) {
      tail = loop.buffer(TAIL);
    }
    bytesWritten += length;
    return true;
  }

  /**
   * Begins a line of at most so many bytes that is written once it is whole: before anything else
   * is, or at the end of this turn. It is whole when {@link #endLine} has put its end there.
   */
  protected final ByteBuf beginLine(int capacity) {
    if (openLine != null) {
      writeOpenLine();
    }
    openLine = loop.buffer(capacity);
    flushInThisTurn();
    return openLine;
  }

  /** The line that was begun and not written yet; null if there is none. Borrowed. */
  protected final ByteBuf openLine() {
    return openLine;
  }

  /** Appends what ends a line that was begun. Borrows line. */
  protected void endLine(ByteBuf line) {}

  private void writeOpenLine() {
    ByteBuf line = openLine;
    openLine = null;
    endLine(line);
    if (tail == null) {
      pass(line);
    } else {
      write(line);
    }
  }

  private void passTail() {
    ByteBuf bytes = tail;
    tail = null;
    context.write(bytes, context.voidPromise());
  }

  private void pass(ByteBuf bytes) {
    if (tail != null) {
      passTail();
    }
    bytesWritten += bytes.readableBytes();
    if (!awaitsFlush) {
      awaitsFlush = true;
      loop.flushLater(this);
    }
    context.write(bytes, context.voidPromise());
    if (pendingBytes() >= flushFrom) {
      context.flush(); // waiting for the turn's end would only pile up more
    }
  }

  private void flushNow() {
    if (openLine != null) {
      writeOpenLine();
    }
    if (tail != null) {
      passTail();
    }
    context.flush();
  }

  final boolean waitsOneMoreTurn() {
    if (open && waitsForMore(turnsWaited)) {
      turnsWaited++;
      return true;
    }
    turnsWaited = 0;
    return false;
  }

  /**
   * Whether what was written shall wait for another turn, after that many, because more is likely
   * to come that could leave with it. Asked at the end of a turn.
   */
  protected boolean waitsForMore(int turns) {
    return false;
  }

  /**
   * Flushes what was written in this turn now: nothing that could leave with it is to come. What
   * fails is this connection's, whoever asked.
   */
  protected final void flushAtOnce() {
    if (awaitsFlush) {
      try {
        flushTurn();
      } catch (RuntimeException e) {
        broken(e);
      }
    }
  }

  /** Flushes at the end of this turn what was flushed before and could not leave. */
  protected final void flushInThisTurn() {
    if (open && !awaitsFlush) {
      awaitsFlush = true;
      loop.flushLater(this);
    }
  }

  /** Has {@link #goOn} called when the sockets that are ready now have been handled. */
  protected final void goOnBehindOthers() {
    loop.goOnLater(this);
  }

  /** The event loop has handled the other sockets: what was put off may go on. */
  protected void goOn() {}

  /** Whether it was written to and not flushed since. */
  public final boolean awaitsFlush() {
    return awaitsFlush;
  }

  final void flushTurn() {
    if (open && openLine != null) {
      writeOpenLine(); // while it is known that there will be a flush
    }
    awaitsFlush = false;
    if (open) {
      flushNow();
      account();
      flushed();
    }
  }

  /** Called once a turn, after what was written in it was flushed. */
  protected void flushed() {}

  /** Bytes written that the socket has not taken yet. */
  public final long pendingBytes() {
    ChannelOutboundBuffer buffer = open ? channel.unsafe().outboundBuffer() : null;
    return buffer == null ? 0 : buffer.totalPendingWriteBytes();
  }

  /**
   * Bytes that the socket has taken since the connection opened, as far as it can be told: with TLS
   * something else, which stays as it is as long as nothing is written and nothing taken.
   */
  protected final long takenBytes() {
    ChannelOutboundBuffer buffer = open ? channel.unsafe().outboundBuffer() : null;
    return buffer == null
        ? bytesWritten
        : bytesWritten - buffer.totalPendingWriteBytes() + buffer.currentProgress();
  }

  /** Says that bytes are held for this connection, beside what is written; negative: no longer. */
  public final void hold(long delta) {
    held += delta;
    account();
  }

  /** The bytes held for this connection, beside what is written. */
  public final long heldBytes() {
    return held;
  }

  /** Counts again what is buffered: the socket takes bytes without a word to us. */
  public final void account() {
    long total = held + pendingBytes();
    if (total != accounted) {
      loop.buffered(total - accounted);
      accounted = total;
    }
  }

  /** Stops reading for a reason, one bit; reading goes on when no reason is left. */
  protected final void pause(int reason) {
    if (pauses == 0 && open && !inputEnded) {
      channel.config().setAutoRead(false);
    }
    pauses |= reason;
  }

  /** Takes a reason away. */
  protected final void resume(int reason) {
    if (pauses != 0) {
      pauses &= ~reason;
      if (pauses == 0 && open && !inputEnded) {
        channel.config().setAutoRead(true);
      }
    }
  }

  /** The peer sends nothing more: there is nothing to stop reading, nor to go on with. */
  protected final void inputEnded() {
    inputEnded = true;
  }

  /** Whether reading is stopped, for any reason. */
  protected final boolean isPaused() {
    return pauses != 0;
  }

  /** Whether reading is stopped for this reason. */
  protected final boolean isPaused(int reason) {
    return (pauses & reason) != 0;
  }

  /** Closes the socket after what was written, however long the peer takes over it. */
  public final void close() {
    if (open) {
      if (!closing) {
        closing = true;
        closingSince = loop.now();
      }
      flushNow();
      channel.close(); // by Vert.x's handler, which waits for what is pending
    }
  }

  /** Closes the socket now; what was written and not taken yet is lost. */
  public final void abort() {
    if (open) {
      Sockets.abort(context);
    }
  }

  /** Aborts a socket whose peer has not taken in that many nanoseconds what it was closed after. */
  protected final void abortIfClosingFor(long nanos) {
    if (closing && loop.now() - closingSince > nanos) {
      abort();
    }
  }

  /**
   * A socket that broke is no error of ours: its closing says all. Anything else is, and leaves
   * nobody knows what half done: the connection is not used any more.
   *
   * <p>A socket that takes nothing more may still hold what its peer had said before.
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

  final void broken(Throwable cause) {
    LOG.error("a connection is closed because of an error in this program", cause);
    broken = true;
    abort();
  }

  /** Whether a socket that takes nothing more is still read; then it is {@link #deafen deaf}. */
  protected boolean readsOn(IOException failure) {
    return false;
  }

  /** From now on what is written is dropped, and what was not sent yet. */
  protected final void deafen() {
    deaf = true;
    releaseUnsent();
  }

  /** The socket, or TLS on it, broke, and is closed next. */
  protected void lost(IOException failure) {}

  @Override
  public final void channelInactive(ChannelHandlerContext ctx) {
    end();
    ctx.fireChannelInactive();
  }

  @Override
  public final void handlerRemoved(ChannelHandlerContext ctx) {
    end();
  }

  private void end() {
    if (open) {
      open = false;
      releaseUnsent();
      loop.tick();
      account();
      closed();
      account();
    }
  }

  private void releaseUnsent() {
    if (tail != null) {
      tail.release();
      tail = null;
    }
    if (openLine != null) {
      openLine.release();
      openLine = null;
    }
  }

  /** The socket is closed: whatever is held must be released, whoever waits must be told. */
  protected abstract void closed();
}
