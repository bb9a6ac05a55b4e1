package sluice.gateway.internode;

import org.jspecify.annotations.Nullable;
import sluice.gateway.loop.Loop;

/** The two sockets of one link. The second is connected later. */
final class LinkSides {
  private final Loop loop;
  private final LinkSide.Owner link;
  private final LinkSide initiator;
  private @Nullable LinkSide acceptor; // null: the server is not connected
  private boolean fedToServer; // whether feedWhereBytesLeave last read the initiator
  private boolean fedToInitiator; // whether it last read the acceptor

  /** The sides of a link that was accepted. */
  LinkSides(Loop loop, LinkSide.Owner link, long inFlightBytes) {
    this.loop = loop;
    this.link = link;
    this.initiator = LinkSide.initiator(loop, link, inFlightBytes);
  }

  LinkSide initiator() {
    return initiator;
  }

  /** The server's side; only after {@link #newAcceptor}. */
  @SuppressWarnings("NullAway") // newAcceptor has set it
  LinkSide acceptor() {
    return acceptor;
  }

  /** Whether a side is the server's. */
  boolean isAcceptor(LinkSide side) {
    return side == acceptor;
  }

  /** The opposite side; null until it is connected. */
  @Nullable LinkSide other(LinkSide side) {
    return side == initiator ? acceptor : initiator;
  }

  /**
   * Creates the second side, for a socket to the server; streams says whether the link is for
   * streams.
   */
  LinkSide newAcceptor(long inFlightBytes, boolean streams) {
    LinkSide created = LinkSide.acceptor(loop, link, inFlightBytes, streams);
    acceptor = created;
    return created;
  }

  /** Whether the server's socket accepts no more bytes. */
  boolean isAcceptorFull() {
    return acceptor != null && !acceptor.channel().isWritable();
  }

  /** Counts these bytes as held for the link, in addition to the written ones. */
  void hold(long bytes) {
    long change = bytes - initiator.heldBytes();
    if (change != 0) {
      initiator.hold(change);
    }
  }

  /** Bytes that were read, and wait for memory. */
  long unreadBytes() {
    return initiator.unreadBytes() + (acceptor == null ? 0 : acceptor.unreadBytes());
  }

  /** Pauses reading of both sides for lack of memory. */
  void pauseForMemory() {
    initiator.stopReading(LinkSide.MEMORY);
    if (acceptor != null) {
      acceptor.stopReading(LinkSide.MEMORY);
    }
  }

  /** Resumes reading that was paused for lack of memory. */
  void feed() {
    initiator.readAgain(LinkSide.MEMORY);
    if (acceptor != null) {
      acceptor.readAgain(LinkSide.MEMORY);
    }
  }

  /**
   * Resumes reading where it adds nothing to what a socket has not taken: what is read there either
   * leaves, or completes a frame.
   *
   * @return whether a side that was paused for lack of memory is read again
   */
  boolean feedWhereBytesLeave() {
    fedToServer = false;
    fedToInitiator = false;
    if (initiator.isStopped(LinkSide.MEMORY)
        && (acceptor == null || acceptor.pendingBytes() == 0)) {
      fedToServer = true;
      initiator.readAgain(LinkSide.MEMORY);
    }
    if (acceptor != null && acceptor.isStopped(LinkSide.MEMORY) && initiator.pendingBytes() == 0) {
      fedToInitiator = true;
      acceptor.readAgain(LinkSide.MEMORY);
    }
    return fedToServer || fedToInitiator;
  }

  /** Whether the sockets have taken what came of the last {@link #feedWhereBytesLeave}. */
  boolean haveFedBytesLeft() {
    boolean leftToServer = !fedToServer || acceptor == null || acceptor.pendingBytes() == 0;
    return leftToServer && (!fedToInitiator || initiator.pendingBytes() == 0);
  }

  /** Whether a side is paused for lack of memory. */
  boolean arePausedForMemory() {
    return initiator.isStopped(LinkSide.MEMORY)
        || (acceptor != null && acceptor.isStopped(LinkSide.MEMORY));
  }

  /** Whether a side is read now: the server's, or else the initiator's. */
  boolean isRead(boolean ofServer) {
    return !(ofServer && acceptor != null ? acceptor : initiator).isStopped();
  }

  /** Whether either side is not read now. */
  boolean arePaused() {
    return initiator.isStopped() || (acceptor != null && acceptor.isStopped());
  }

  /** Called periodically. */
  void sweep() {
    initiator.sweep();
    if (acceptor != null) {
      acceptor.sweep();
    }
  }

  /** Closes both sides after the bytes that were written to them. */
  void close() {
    initiator.close();
    if (acceptor != null) {
      acceptor.close();
    }
  }

  /** Closes both sides at once; written bytes that are still buffered are lost. */
  void abort() {
    initiator.abort();
    if (acceptor != null) {
      acceptor.abort();
    }
  }

  /** Whether no socket is open. */
  boolean areClosed() {
    return !initiator.isOpen() && (acceptor == null || !acceptor.isOpen());
  }
}
