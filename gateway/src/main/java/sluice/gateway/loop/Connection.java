package sluice.gateway.loop;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
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
  public static final int COPY_BELOW = WriteBatch.COPY_BELOW;

  /**
   * What waits is sent before the turn's end when it is so many bytes, or half of what may wait if
   * that is less: some readings' worth, so that one call sends them and wakes the peer once, and
   * few enough that they are still in the processor's cache (ADR 0040).
   */
  private static final int FLUSH_FROM = 512 * 1024;

  private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

  protected final Loop loop;
  private final WriteBatch batch;
  private final Writer writer = new Writer();
  private final ReadGate gate = new ReadGate();
  private ChannelHandlerContext context;
  private Channel channel; // null, as its context, before there is one
  private boolean broken; // by an error in this program
  private boolean closing;
  private long closingSince;
  private long held;
  private long accounted;

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
    this.batch = new WriteBatch(writer, loop, (int) Math.min(FLUSH_FROM, mostPending / 2));
  }

  /** As the event loop sees it. */
  private final class Writer implements WriteBatch.Owner, Turn.Work {
    @Override
    public void endLine(ByteBuf line) {
      Connection.this.endLine(line);
    }

    @Override
    public boolean waitsForMore(int turns) {
      return Connection.this.waitsForMore(turns);
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
      } catch (RuntimeException e) {
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

  /** Whether the peer takes nothing more: what is written is dropped. */
  protected final boolean isDeaf() {
    return batch.isDeaf();
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
    return batch.bytesWritten();
  }

  /**
   * Writes bytes, which leave at the end of this turn. Consumes bytes, sent or not, also when it
   * throws.
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
   * Begins a line of at most so many bytes that is written once it is whole: before anything else
   * is, or at the end of this turn. It is whole when {@link #endLine} has put its end there.
   */
  protected final ByteBuf beginLine(int capacity) {
    return batch.beginLine(capacity);
  }

  /** The line that was begun and not written yet; null if there is none. Borrowed. */
  protected final ByteBuf openLine() {
    return batch.openLine();
  }

  /** Appends what ends a line that was begun. Borrows line. */
  protected void endLine(ByteBuf line) {}

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
    if (batch.awaitsFlush()) {
      batch.flush();
    }
  }

  /** Flushes at the end of this turn what was flushed before and could not leave. */
  protected final void flushInThisTurn() {
    batch.flushInThisTurn();
  }

  /** Has {@link #goOn} called when the sockets that are ready now have been handled. */
  protected final void goOnBehindOthers() {
    loop.goOnLater(writer);
  }

  /** The event loop has handled the other sockets: what was put off may go on. */
  protected void goOn() {}

  /** Whether it was written to and not flushed since. */
  public final boolean awaitsFlush() {
    return batch.awaitsFlush();
  }

  /** Called once a turn, after what was written in it was flushed. */
  protected void flushed() {}

  /** Bytes written that the socket has not taken yet. */
  public final long pendingBytes() {
    return batch.pendingBytes();
  }

  /**
   * Bytes that the socket has taken since the connection opened, as far as it can be told: with TLS
   * something else, which stays as it is as long as nothing is written and nothing taken.
   */
  protected final long takenBytes() {
    return batch.takenBytes();
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
    gate.pause(reason, isOpen());
  }

  /** Takes a reason away. */
  protected final void resume(int reason) {
    gate.resume(reason, isOpen());
  }

  /** The peer sends nothing more: there is nothing to stop reading, nor to go on with. */
  protected final void inputEnded() {
    gate.inputEnded();
  }

  /** Whether reading is stopped, for any reason. */
  protected final boolean isPaused() {
    return gate.isPaused();
  }

  /** Whether reading is stopped for this reason. */
  protected final boolean isPaused(int reason) {
    return gate.isPaused(reason);
  }

  /** Closes the socket after what was written, however long the peer takes over it. */
  public final void close() {
    if (isOpen()) {
      if (!closing) {
        closing = true;
        closingSince = loop.now();
      }
      batch.flushNow();
      channel.close(); // by Vert.x's handler, which waits for what is pending
    }
  }

  /** Closes the socket now; what was written and not taken yet is lost. */
  public final void abort() {
    if (isOpen()) {
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

  private void broken(Throwable cause) {
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
    batch.deafen();
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
    if (isOpen()) {
      batch.close();
      loop.tick();
      account();
      closed();
      account();
    }
  }

  /** The socket is closed: whatever is held must be released, whoever waits must be told. */
  protected abstract void closed();
}
