package sluice.gateway.internode;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.ByteSink;
import sluice.codecs.internode.address.StreamRewriter;
import sluice.gateway.metrics.InternodeMetrics;
import sluice.gateway.net.Sockets;

/** The stream messages of a link whose addresses are replaced, both ways, behind its handshake. */
final class LinkStream {
  private final StreamRewriter there;
  private final StreamRewriter back;
  private final InternodeMetrics metrics;
  private boolean lost;

  /**
   * A stream.
   *
   * @param version as negotiated
   * @param toServer consumes what goes there
   * @param toInitiator consumes what comes back
   */
  LinkStream(
      LinkAddresses addresses,
      int version,
      InternodeMetrics metrics,
      ByteSink toServer,
      ByteSink toInitiator) {
    this.metrics = metrics;
    there = new StreamRewriter(addresses.there(), version, Sockets.allocator(), toServer);
    back = new StreamRewriter(addresses.back(), version, Sockets.allocator(), toInitiator);
  }

  /** Takes what the initiator sent. Consumes bytes. */
  void readThere(ByteBuf bytes) {
    there.read(bytes);
    countIfLost();
  }

  /** Takes what the server sent. Consumes bytes. */
  void readBack(ByteBuf bytes) {
    back.read(bytes);
    countIfLost();
  }

  /** A stream that could not be read is counted once. */
  private void countIfLost() {
    if (!lost && (there.isLost() || back.isLost())) {
      lost = true;
      metrics.addressesUnread(1);
    }
  }

  /** Bytes that wait for the rest of their message. */
  long heldBytes() {
    return (long) there.heldBytes() + back.heldBytes();
  }

  void close() {
    there.close();
    back.close();
  }
}
