package sluice.gateway.internode;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.ByteSink;
import sluice.codecs.internode.address.StreamRewriter;
import sluice.gateway.net.Sockets;

/**
 * Stream messages of a link whose addresses are replaced in both directions, after its handshake.
 */
final class LinkStream implements LinkTraffic {
  private final StreamRewriter there;
  private final StreamRewriter back;
  private final Runnable lost;
  private final ReleaseGuard guard = new ReleaseGuard(this::release);
  private boolean lostTold;

  /**
   * A stream.
   *
   * @param version as negotiated
   * @param toServer consumes bytes for the server
   * @param toInitiator consumes bytes for the initiator
   */
  LinkStream(
      LinkAddresses addresses,
      int version,
      ByteSink toServer,
      ByteSink toInitiator,
      Runnable lost) {
    there = new StreamRewriter(addresses.there(), version, Sockets.allocator(), toServer);
    back = new StreamRewriter(addresses.back(), version, Sockets.allocator(), toInitiator);
    this.lost = lost;
  }

  @Override
  public void fromInitiator(ByteBuf bytes) {
    read(there, bytes);
  }

  @Override
  public void fromServer(ByteBuf bytes) {
    read(back, bytes);
  }

  /** Reads bytes. A sink may end the link during the hand-over: the rest is released afterwards. */
  private void read(StreamRewriter rewriter, ByteBuf bytes) {
    if (!guard.enter()) {
      bytes.release();
      return;
    }
    try {
      rewriter.read(bytes);
    } catch (Throwable e) {
      guard.end(); // what follows must not be passed on behind bytes that are missing
      throw e;
    } finally {
      guard.leave();
    }
    if (!lostTold && (there.isLost() || back.isLost())) {
      lostTold = true;
      lost.run();
    }
  }

  @Override
  public long heldBytes() {
    return guard.isOver() ? 0 : (long) there.heldBytes() + back.heldBytes();
  }

  @Override
  public long heldUnit() {
    return holdsMoreOfServer() ? -1 - back.units() : there.units();
  }

  @Override
  public boolean holdsMoreOfServer() {
    return back.heldBytes() > there.heldBytes();
  }

  @Override
  public boolean hasLeft(long silentNanos) {
    return silentNanos > LinkBytes.QUIET_NANOS;
  }

  @Override
  public void close() {
    guard.end();
  }

  private void release() {
    there.close();
    back.close();
  }
}
