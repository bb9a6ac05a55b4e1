package sluice.gateway.loop;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.Bytes;
import sluice.codecs.buffer.SliceList;

/**
 * Batch of bytes written to one channel that have not been flushed. Small writes are joined, and
 * all bytes are sent with one system call at the end of the loop iteration, or of a later one. If
 * they are in one buffer, it goes straight to the socket (ADR 0060). Belongs to one event loop.
 */
final class WriteBatch implements FlushScheduler.Batch {
  /** The connection that writes. */
  interface Owner {
    /** Appends the end of a line that was begun. Borrows line. */
    void endLine(ByteBuf line);

    /** Whether the written bytes should wait for another iteration, after that many. */
    boolean waitsForMore(int iterations);

    /** Called when the bytes so far were flushed before the iteration ended. */
    void flushedEarly();

    /** Called when the written bytes were flushed. */
    void flushed();

    /** Called when an internal error ends the connection. */
    void broken(Throwable cause);
  }

  private enum State {
    /** The channel is not open: nothing can be written. */
    CLOSED,
    /** Written bytes are sent. */
    OPEN,
    /** The peer accepts no more bytes: written bytes are dropped. */
    DEAF,
    /** The channel was closed, and the peer accepts no more bytes. */
    DEAF_AND_CLOSED
  }

  private static final int TAIL = 8 * 1024;

  private final Owner owner;
  private final Loop loop;
  private final int flushFrom;
  private State state = State.CLOSED;
  private ChannelHandlerContext context;
  private Channel channel;
  private DirectSend direct = DirectSend.NEVER;
  private boolean awaitsFlush;
  private boolean stalled; // the socket had not accepted earlier bytes when this iteration's came
  private int turnsWaited;
  private @Nullable ByteBuf
      first; // small write that is the only one so far; null if there are others
  private @Nullable ByteBuf tail; // small writes, joined; null if there are none
  private @Nullable ByteBuf openLine; // line to which more may be appended; null if there is none
  private long bytesWritten;

  /**
   * A batch of a channel that is not open yet.
   *
   * @param flushFrom how many bytes are flushed before the iteration's end
   */
  @SuppressWarnings("NullAway.Init") // begin sets context and channel; before, it is closed
  WriteBatch(Owner owner, Loop loop, int flushFrom) {
    this.owner = owner;
    this.loop = loop;
    this.flushFrom = flushFrom;
  }

  /** Sets the channel of context, which may be open. */
  void begin(ChannelHandlerContext context) {
    this.context = context;
    channel = context.channel();
    direct = DirectSend.of(context);
    state = channel.isActive() ? State.OPEN : State.CLOSED;
  }

  /** The channel is closed: bytes that were not flushed are dropped. */
  void close() {
    state = isDeaf() ? State.DEAF_AND_CLOSED : State.CLOSED;
    release();
  }

  /** Drops bytes that were not flushed, and all bytes written from now on. */
  void deafen() {
    state = isOpen() ? State.DEAF : State.DEAF_AND_CLOSED;
    release();
  }

  boolean isOpen() {
    return state == State.OPEN || state == State.DEAF;
  }

  boolean isDeaf() {
    return state == State.DEAF || state == State.DEAF_AND_CLOSED;
  }

  long bytesWritten() {
    return bytesWritten;
  }

  // --- writing ------------------------------------------------------------------------------

  /**
   * Writes bytes. Consumes them, written or not. If that fails, perhaps for want of memory, the
   * connection ends, and the caller goes on: none of the next bytes may take the place of these.
   */
  @SuppressWarnings("NullAway") // there is a tail for what joins
  void write(ByteBuf bytes) {
    endOpenLine();
    if (state != State.OPEN) {
      bytes.release();
      return;
    }
    boolean passed = false;
    try {
      if (isCopiedToTail(bytes.readableBytes())) {
        Bytes.append(bytes, bytes.readerIndex(), bytes.readableBytes(), tail);
      } else {
        passed = true;
        start(bytes);
      }
    } catch (Throwable e) {
      failed(e);
    } finally {
      if (!passed) {
        bytes.release();
      }
    }
  }

  private void failed(Throwable cause) {
    deafen();
    owner.broken(cause);
  }

  /** Writes bytes that are not copied to the end of others. Consumes bytes. */
  private void start(ByteBuf bytes) {
    if (awaitsFlush || !SliceList.isCopied(bytes.readableBytes())) {
      pass(bytes);
      return;
    }
    first = bytes;
    bytesWritten += bytes.readableBytes();
    schedule();
  }

  /** As {@link #write(ByteBuf)}, for the bytes [from, from + length) of source. Borrows source. */
  void write(ByteBuf source, int from, int length) {
    write(source, from, length, false);
  }

  /** Writes a copy of the bytes [from, from + length) of source. Borrows source. */
  void writeCopy(ByteBuf source, int from, int length) {
    flushInThisIteration(); // so that they join the bytes written after them
    write(source, from, length, true);
  }

  @SuppressWarnings("NullAway") // there is a tail for what joins
  private void write(ByteBuf source, int from, int length, boolean copies) {
    endOpenLine();
    if (state != State.OPEN) {
      return;
    }
    try {
      if (isCopiedToTail(length)) {
        Bytes.append(source, from, length, tail);
      } else {
        start(copies ? copy(source, from, length) : loop.slice(source, from, length));
      }
    } catch (Throwable e) {
      failed(e);
    }
  }

  /**
   * Whether these few bytes are better copied to the end of earlier writes than sent as a separate
   * slice; if so, the tail has room for them. The first write of an iteration is not copied: it may
   * remain the only one.
   */
  private boolean isCopiedToTail(int length) {
    if (!SliceList.isCopied(length) || !awaitsFlush) {
      return false;
    }
    if (tail != null && tail.writableBytes() < length) {
      passTail(tail);
    }
    if (tail == null) {
      tail = loop.buffer(TAIL);
      if (first != null) {
        Bytes.append(first, first.readerIndex(), first.readableBytes(), tail);
        first.release();
        first = null;
      }
    }
    bytesWritten += length;
    return true;
  }

  /**
   * Begins a line with a maximum length, which is written once it is complete. The caller borrows
   * the line.
   */
  ByteBuf beginLine(int capacity) {
    endOpenLine();
    try {
      openLine = loop.buffer(capacity);
    } catch (Throwable e) {
      failed(e);
      throw e;
    }
    flushInThisIteration();
    return openLine;
  }

  /** The line that was begun and not written yet; null if there is none. Borrowed. */
  @Nullable ByteBuf openLine() {
    return openLine;
  }

  /** Writes the begun line, if there is one. */
  void endOpenLine() {
    if (openLine != null) {
      writeOpenLine(openLine);
    }
  }

  private void writeOpenLine(ByteBuf line) {
    openLine = null;
    owner.endLine(line);
    boolean isOnly = first == null && tail == null && state == State.OPEN;
    if (isOnly && SliceList.isCopied(line.readableBytes())) {
      first = line;
      bytesWritten += line.readableBytes();
    } else {
      write(line);
    }
  }

  private void passTail(ByteBuf bytes) {
    tail = null;
    context.write(stalled ? fitted(bytes) : bytes, context.voidPromise());
  }

  /**
   * A slice keeps the whole buffer that it was cut from, but only its own bytes are counted. Many
   * such slices may wait for a peer that does not read, so they are copied.
   */
  private void passFirst(ByteBuf bytes) {
    first = null;
    context.write(stalled ? copy(bytes) : bytes, context.voidPromise());
  }

  /**
   * The bytes, copied to a buffer of their length if they are a small part of their buffer. Many
   * such buffers may wait for a peer that does not read, and only the bytes are counted. Consumes
   * bytes.
   */
  private ByteBuf fitted(ByteBuf bytes) {
    return bytes.readableBytes() > bytes.capacity() / 2 ? bytes : copy(bytes);
  }

  /** The bytes in a buffer of their own. Consumes bytes. */
  private ByteBuf copy(ByteBuf bytes) {
    try {
      return copy(bytes, bytes.readerIndex(), bytes.readableBytes());
    } finally {
      bytes.release();
    }
  }

  private ByteBuf copy(ByteBuf source, int from, int length) {
    ByteBuf copy = loop.buffer(length);
    Bytes.append(source, from, length, copy);
    return copy;
  }

  private void pass(ByteBuf bytes) {
    try {
      passSmall();
    } catch (Throwable e) {
      bytes.release();
      throw e;
    }
    bytesWritten += bytes.readableBytes();
    if (!awaitsFlush) {
      schedule();
    }
    boolean wastes = stalled && Loop.isSmallPartOf(bytes, bytes.readableBytes());
    context.write(wastes ? copy(bytes) : bytes, context.voidPromise());
    if (pendingBytes() >= flushFrom) {
      context.flush(); // waiting for the end of the loop iteration would only accumulate more bytes
      owner.flushedEarly();
    }
  }

  private void passSmall() {
    if (first != null) {
      passFirst(first);
    } else if (tail != null) {
      passTail(tail);
    }
  }

  // --- flushing -----------------------------------------------------------------------------

  void flushInThisIteration() {
    if (isOpen() && !awaitsFlush) {
      schedule();
    }
  }

  private void schedule() {
    awaitsFlush = true;
    stalled = pendingBytes() > 0;
    loop.flushLater(this);
  }

  @Override
  public boolean awaitsFlush() {
    return awaitsFlush;
  }

  @Override
  public boolean waitsOneMoreIteration() {
    if (isOpen() && owner.waitsForMore(turnsWaited)) {
      turnsWaited++;
      return true;
    }
    turnsWaited = 0;
    return false;
  }

  @Override
  public void flush() {
    try {
      endOpenLine(); // while the flush is still scheduled
      awaitsFlush = false;
      if (isOpen()) {
        flushNow();
        owner.flushed();
      }
    } catch (Throwable e) { // there may be no memory for it
      failed(e);
    }
  }

  /** Flushes the bytes so far, without a change to the batch's place in the loop iteration. */
  void flushNow() {
    endOpenLine();
    ByteBuf last = first == null ? tail : first;
    if (last != null && direct.send(last)) {
      first = null;
      tail = null;
      last.release();
      return;
    }
    passSmall();
    context.flush();
  }

  // --- what the socket has taken --------------------------------------------------------------

  /** Bytes written that the socket has not accepted yet. */
  long pendingBytes() {
    ChannelOutboundBuffer buffer = isOpen() ? channel.unsafe().outboundBuffer() : null;
    return buffer == null ? 0 : buffer.totalPendingWriteBytes();
  }

  /** Bytes that the socket has accepted since the channel opened. */
  long takenBytes() {
    ChannelOutboundBuffer buffer = isOpen() ? channel.unsafe().outboundBuffer() : null;
    return buffer == null
        ? bytesWritten
        : bytesWritten - buffer.totalPendingWriteBytes() + buffer.currentProgress();
  }

  private void release() {
    if (first != null) {
      first.release();
      first = null;
    }
    if (tail != null) {
      tail.release();
      tail = null;
    }
    if (openLine != null) {
      openLine.release();
      openLine = null;
    }
  }
}
