package sluice.gateway.internode;

import io.netty.buffer.ByteBuf;
import sluice.codecs.ProtocolException;
import sluice.codecs.buffer.ByteSink;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.Direction;
import sluice.gateway.metrics.InternodeMetrics;
import sluice.gateway.time.Clocks;

/**
 * Traffic of a link that carries messages: frames to the server, and the server's bytes unchanged.
 * It ends the link when messages must not be passed on.
 */
final class LinkFrames implements LinkTraffic {
  /** Link that carries the messages. */
  interface Owner {
    /** Updates the count of bytes that the link holds. */
    void account();

    /** Lets the other sockets of the event loop come first, and then makes an empty read. */
    void endTurn();

    /** Logs a line about the link. */
    void log(String what);

    /** Logs the reason, and ends the link. */
    void fail(String reason);

    /** Ends the link, between two messages. */
    void close();
  }

  /** Incomplete bytes that a link may hold in any case: more than a frame in each form. */
  private static final int MOST_HELD_WHEN_FULL = 512 * 1024;

  private final Owner link;
  private final Loop loop;
  private final InternodeMetrics metrics;
  private final LinkMessages messages;
  private final LinkRegistration registration;
  private final ByteSink toInitiator;
  private final long followingNanos;
  private final ReleaseGuard guard;
  // when the bytes written in this loop iteration were read; 0 if none were written
  private long readAt;
  private long waitingSince; // time at which it began to wait for the end of a message
  private boolean dropsLogged;
  private boolean unreadLogged;

  /**
   * Traffic of messages.
   *
   * @param followingNanos the longest time for which a message in transit may delay the rules of a
   *     new configuration
   * @param messages closed at the end
   * @param toInitiator consumes the server's bytes
   */
  LinkFrames(
      Owner link,
      Loop loop,
      long followingNanos,
      InternodeMetrics metrics,
      LinkMessages messages,
      LinkRegistration registration,
      ByteSink toInitiator) {
    this.link = link;
    this.loop = loop;
    this.followingNanos = followingNanos;
    this.metrics = metrics;
    this.messages = messages;
    this.registration = registration;
    this.toInitiator = toInitiator;
    this.guard = new ReleaseGuard(messages::close);
  }

  @Override
  public void fromInitiator(ByteBuf bytes) {
    if (!guard.enter()) {
      bytes.release();
      return;
    }
    long written = 0;
    try {
      written = messages.read(bytes);
    } catch (ProtocolException e) {
      metrics.protocolError();
      link.fail(String.valueOf(e.getMessage()));
    } catch (Throwable e) {
      guard.end(); // an error of this program: what was being read must not be read again
      throw e;
    } finally {
      guard.leave();
    }
    if (!guard.isOver()) {
      hasRead(written);
    }
  }

  private void hasRead(long written) {
    loop.metrics().bytes(Direction.SERVER_OUT, written);
    if (written > 0 && readAt == 0) {
      readAt = loop.now();
    }
    if (messages.hasDropped() && !dropsLogged) {
      dropsLogged = true;
      link.log("a corrupt frame was dropped; further ones are only counted");
    }
    if (messages.hasUnread() && !unreadLogged) {
      unreadLogged = true;
      link.log(
          "a message could not be parsed, so its addresses were not replaced; further ones are only"
              + " counted");
    }
    if (messages.hasLeft()) {
      link.close();
      return;
    }
    if (messages.hasMore()) {
      link.endTurn();
    }
    link.account();
    // What waits for the next turn is not incomplete.
    if (!messages.hasMore() && heldBytes() > MOST_HELD_WHEN_FULL && loop.memory().isFull()) {
      link.fail(
          "process.memory is used up, and the link holds "
              + heldBytes()
              + " bytes of a message that must be complete to be rewritten");
    }
  }

  @Override
  public void fromServer(ByteBuf bytes) {
    toInitiator.accept(bytes);
  }

  @Override
  public long heldBytes() {
    return guard.isOver() ? 0 : messages.heldBytes();
  }

  @Override
  public long heldUnit() {
    return messages.heldUnit();
  }

  @Override
  public boolean mayGrow() {
    return messages.mayGrow();
  }

  @Override
  public boolean mayTakeLong() {
    return messages.mayTakeLong();
  }

  @Override
  public void flushed() {
    if (readAt != 0) {
      metrics.gatewayLatency(Clocks.nanos() - readAt);
      readAt = 0;
    }
  }

  @Override
  public void follow(LinkListenerView newest) {
    if (!messages.waits()) { // else frequent changes would let it wait for ever
      waitingSince = loop.now();
    }
    messages.follow(newest);
    registration.leadTo(newest.node());
  }

  @Override
  public void sweep() {
    // Until then, messages in self-contained frames pass by the former rules.
    if (messages.waits() && loop.now() - waitingSince > followingNanos) {
      link.fail(
          messages.isUnsure()
              ? "the configuration has changed, and the gateway cannot tell where a message of this"
                  + " link ends"
              : "the configuration has changed, and a message was still incomplete");
    }
  }

  @Override
  public void leave() {
    messages.leave();
  }

  @Override
  public boolean hasLeft(long silentNanos) {
    return messages.hasLeft();
  }

  @Override
  public boolean answer(Rejected rejected) {
    messages.answer(rejected);
    return true;
  }

  @Override
  public void close() {
    registration.end();
    guard.end();
  }
}
