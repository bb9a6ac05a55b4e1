package sluice.gateway.internode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.WriteBufferWaterMark;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.gateway.loop.Connection;
import sluice.gateway.loop.Loop;
import sluice.gateway.net.PeerLoss;
import sluice.gateway.tls.TlsException;

/**
 * One of a link's two sockets. It hands received bytes to the link, and pauses reading of the other
 * side while its own socket accepts no more.
 */
final class LinkSide extends Connection {
  /** Link with two sides. */
  interface Owner {
    /** Processes the bytes that were read from a side. Consumes bytes. */
    void read(LinkSide from, ByteBuf bytes);

    /** Pauses both sides until there is memory again, if little is left. */
    void pauseIfTight();

    /** Counts the bytes that are held for the link. */
    void account();

    /** Whether bytes that are read next may become many more than they are. */
    boolean mayGrow();

    /** Whether other sockets come before the bytes of a side, because links have taken long. */
    boolean areOthersDue(LinkSide from);

    /** Whether the next part of the rest of a side that has closed may take a turn. */
    boolean hasTimeAtEnd(LinkSide from);

    /** A part of that rest has taken so long, in nanoseconds. */
    void spentAtEnd(LinkSide from, long nanos);

    /**
     * Bytes that were read from a side that has closed are dropped.
     *
     * @param bytes that the link has not been given
     */
    void unreadLost(String why, long bytes);

    /** The opposite side, to which bytes of this one are sent; null until it is connected. */
    @Nullable LinkSide other(LinkSide side);

    /** The bytes written to a side in this loop iteration have been given to its socket. */
    void flushed(LinkSide side);

    /** TLS failed on one of the two sockets, which closes next. */
    void tlsFailed(LinkSide side, TlsException failure);

    /** One of the two sockets has closed. */
    void closed(LinkSide side);
  }

  /** Reason for pausing: the other side does not take the bytes sent to it. */
  static final int PEER_SLOW = 1;

  /** Reason for pausing: the handshake is not done. */
  static final int HANDSHAKE = 2;

  /** Reason for pausing: the process buffers too much. */
  static final int MEMORY = 4;

  /** Reason for pausing: bytes that were read before still wait for memory. */
  private static final int UNREAD = 8;

  /** Reason for pausing: the rest of what was read would take too long. */
  private static final int TURN = 16;

  /**
   * Bytes that are passed on at once while memory is tight. In LZ4 frames they may become 250 times
   * as many.
   */
  static final int PORTION = 2 * 1024;

  /** Growth of all buffered bytes after which no further portion of a read is passed on. */
  static final int MOST_GROWTH = 256 * 1024;

  /**
   * Unread bytes beyond which a side is aborted if memory is used up. A paused socket delivers at
   * most a read or two, unless its peer has closed: then Netty reads all that the kernel has
   * received.
   */
  static final int MOST_UNREAD = 512 * 1024;

  /**
   * Unread reads beyond which a side is aborted. Each TLS record is one, and takes far more memory
   * than its bytes if it is small.
   */
  static final int MOST_UNREAD_READS = 16 * 1024;

  /**
   * Turns that the rest of a side that has closed may take, if there is time for them. There are no
   * others between them. Megabytes of what nodes send take a few, or more of them on a busy
   * machine.
   */
  static final int MOST_TURNS_AT_END = 64;

  /** How long a peer may take to read the rest when the link ends. */
  private static final long CLOSING_NANOS = TimeUnit.SECONDS.toNanos(10);

  /**
   * Limit for unacknowledged bytes of messages, the default of a node's {@code
   * internode_tcp_user_timeout}.
   */
  static final int USER_TIMEOUT_MILLIS = 30_000;

  /** The same for streams, the default of {@code internode_streaming_tcp_user_timeout}. */
  static final int STREAM_USER_TIMEOUT_MILLIS = 300_000;

  private static final int NO_USER_TIMEOUT = 0;

  private final Owner link;
  private final int highWater;
  private final int userTimeoutMillis;
  private final Deque<ByteBuf> unread = new ArrayDeque<>(); // waits for memory or a turn
  private long unreadBytes; // in unread
  private boolean goesOn; // whether the link has more to do with what it was given
  private boolean scheduled; // whether it goes on after the other sockets

  private LinkSide(Loop loop, Owner link, long inFlightBytes, int userTimeoutMillis) {
    super(loop, inFlightBytes);
    this.link = link;
    this.highWater = (int) Math.min(Integer.MAX_VALUE, inFlightBytes);
    this.userTimeoutMillis = userTimeoutMillis;
  }

  /** Side of the node that opened the link. */
  static LinkSide initiator(Loop loop, Owner link, long inFlightBytes) {
    return new LinkSide(loop, link, inFlightBytes, NO_USER_TIMEOUT);
  }

  /** Side of the node that the link leads to. */
  static LinkSide acceptor(Loop loop, Owner link, long inFlightBytes, boolean streams) {
    int timeout = streams ? STREAM_USER_TIMEOUT_MILLIS : USER_TIMEOUT_MILLIS;
    return new LinkSide(loop, link, inFlightBytes, timeout);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    super.handlerAdded(ctx);
    channel().config().setWriteBufferWaterMark(new WriteBufferWaterMark(highWater / 2, highWater));
    PeerLoss.probe(channel());
    if (userTimeoutMillis != NO_USER_TIMEOUT) {
      PeerLoss.userTimeout(channel(), userTimeoutMillis);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    loop.tick();
    loop.active();
    ByteBuf read = (ByteBuf) message;
    if (!isOpen() || isBroken()) {
      read.release(); // the rest of a read in which the side was aborted, or an error ended it
      return;
    }
    unread.add(read);
    unreadBytes += read.readableBytes();
    // Few bytes may become many: not before there is memory, which other links of this iteration
    // may have used up.
    link.pauseIfTight();
    if (link.areOthersDue(this)) {
      awaitTurn();
    }
    passUnread();
    if (!unread.isEmpty()) {
      link.account();
      abortIfTooMuchIsUnread();
    }
  }

  private void passUnread() {
    while (!unread.isEmpty() && !isPaused(MEMORY) && !isPaused(TURN)) {
      link.read(this, firstUnread());
    }
    if (!unread.isEmpty()) {
      pause(UNREAD);
    } else if (isPaused(UNREAD)) {
      resume(UNREAD);
    }
  }

  /**
   * Lets the other sockets of the event loop come first. Then the link gets an empty read, for the
   * rest of what it was given, and only then what was read after it.
   */
  void endTurn() {
    goesOn = true;
    awaitTurn();
  }

  private void awaitTurn() {
    pause(TURN);
    if (!scheduled && isOpen()) {
      scheduled = true;
      continueAfterOthers();
    }
  }

  @Override
  protected void goOn() {
    scheduled = false;
    if (isOpen() && isPaused(TURN)) {
      link.pauseIfTight();
      if (!isPaused(MEMORY)) {
        takeTurn();
      }
    }
  }

  private void takeTurn() {
    goesOn = false;
    link.read(this, Unpooled.EMPTY_BUFFER);
    if (!goesOn) {
      resume(TURN);
      link.pauseIfTight();
      passUnread();
    }
    accountBoth();
  }

  private void abortIfTooMuchIsUnread() {
    if (unread.size() > MOST_UNREAD_READS
        || (loop.memory().isFull() && unreadBytes > MOST_UNREAD)) {
      abort();
    }
  }

  /** Passes on one read, or the first portions of a read that makes much of its bytes. */
  private void passPortions() {
    ByteBuf read = unread.peek();
    long most = loop.memory().total() + MOST_GROWTH;
    do {
      link.read(this, portion());
      accountBoth();
    } while (read == unread.peek() && loop.memory().total() < most && !isPaused(TURN));
  }

  /** The first unread bytes, which must exist: few of them if memory is tight. */
  private ByteBuf portion() {
    ByteBuf first = unread.element();
    if (first.readableBytes() <= PORTION || !loop.memory().isTight()) {
      return firstUnread();
    }
    ByteBuf portion = loop.readSlice(first, PORTION);
    unreadBytes -= PORTION;
    return portion;
  }

  /** Takes the first unread bytes, which must exist. The caller owns the result. */
  private ByteBuf firstUnread() {
    ByteBuf first = unread.remove();
    unreadBytes -= first.readableBytes();
    return first;
  }

  /** Bytes that were read from the socket, and wait for memory. */
  long unreadBytes() {
    return unreadBytes;
  }

  /** Flushes at once: a link shares its sockets with no other, so there is nothing to wait for. */
  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    LinkSide other = link.other(this);
    if (other != null) {
      other.flushAtOnce();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    LinkSide other = link.other(this);
    if (other != null) {
      if (channel().isWritable()) {
        other.resume(PEER_SLOW);
      } else {
        other.pause(PEER_SLOW);
      }
    }
    ctx.fireChannelWritabilityChanged();
  }

  void stopReading(int reason) {
    pause(reason);
  }

  void readAgain(int reason) {
    resume(reason);
    if (reason == MEMORY && !scheduled && (isPaused(TURN) || !unread.isEmpty())) {
      try {
        if (isPaused(TURN)) {
          takeTurn(); // although memory may be tight
        } else {
          passPortions(); // as well
          passUnread();
        }
      } catch (Throwable e) { // not out of the sweep, which has other links
        broken(e);
      }
      accountBoth();
    }
  }

  /**
   * Counts what the bytes that were passed on have become. Otherwise, a flush counts it only after
   * all links of this loop iteration have been fed, or have closed.
   */
  private void accountBoth() {
    account();
    LinkSide other = link.other(this);
    if (other != null) {
      other.account();
    }
  }

  boolean isStopped(int reason) {
    return isPaused(reason);
  }

  boolean isStopped() {
    return isPaused();
  }

  /** Ends the wait for a peer that does not take a closed link's last bytes. */
  void sweep() {
    account();
    abortIfClosingFor(CLOSING_NANOS);
  }

  @Override
  protected void flushed() {
    link.flushed(this);
  }

  @Override
  protected void lost(IOException failure) {
    if (failure instanceof TlsException tls) {
      link.tlsFailed(this, tls);
    }
  }

  @Override
  protected void closed() {
    try {
      passRest();
    } finally {
      unread.forEach(ByteBuf::release);
      unread.clear();
      unreadBytes = 0;
      link.closed(this);
    }
  }

  /**
   * Passes on what came before the end, which the other side may still get. When memory is used up,
   * only bytes that stay as many as they are pass: they have been counted already.
   */
  private void passRest() {
    int turns = 0;
    long before = loop.nanos();
    while (hasRest() && !hasNoRoom() && link.hasTimeAtEnd(this)) {
      if (!goesOn) {
        link.read(this, portion()); // a turn, too
      } else if (turns++ < MOST_TURNS_AT_END) {
        goesOn = false;
        link.read(this, Unpooled.EMPTY_BUFFER);
      } else {
        break;
      }
      long now = loop.nanos();
      link.spentAtEnd(this, now - before);
      before = now;
      accountBoth();
    }
    if (hasRest()) {
      String why = hasNoRoom() ? "process.memory is used up" : "the rest would take too long";
      link.unreadLost(why, unreadBytes);
    }
  }

  private boolean hasRest() {
    return (goesOn || !unread.isEmpty()) && !isBroken();
  }

  private boolean hasNoRoom() {
    return loop.memory().isFull() && link.mayGrow();
  }
}
