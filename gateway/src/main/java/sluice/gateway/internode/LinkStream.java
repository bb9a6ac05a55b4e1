package sluice.gateway.internode;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.ByteSink;
import sluice.codecs.internode.address.StreamRewriter;
import sluice.gateway.net.Sockets;

/** The stream messages of a link whose addresses are replaced, both ways, behind its handshake. */
final class LinkStream {
  private final StreamRewriter there;
  private final StreamRewriter back;
  private boolean reading;
  private boolean closed;

  /**
   * A stream.
   *
   * @param version as negotiated
   * @param toServer consumes what goes there
   * @param toInitiator consumes what comes back
   */
  LinkStream(LinkAddresses addresses, int version, ByteSink toServer, ByteSink toInitiator) {
    there = new StreamRewriter(addresses.there(), version, Sockets.allocator(), toServer);
    back = new StreamRewriter(addresses.back(), version, Sockets.allocator(), toInitiator);
  }

  /** Takes what the initiator sent. Consumes bytes. */
  void readThere(ByteBuf bytes) {
    read(there, bytes);
  }

  /** Takes what the server sent. Consumes bytes. */
  void readBack(ByteBuf bytes) {
    read(back, bytes);
  }

  /** A sink may end the link while bytes are handed out to it: the rest is released behind it. */
  private void read(StreamRewriter rewriter, ByteBuf bytes) {
    if (closed) {
      bytes.release();
      return;
    }
    reading = true;
    try {
      rewriter.read(bytes);
    } finally {
      reading = false;
      if (closed) {
        release();
      }
    }
  }

  /** Whether one direction could not be read, and passes as it is from there on. */
  boolean isLost() {
    return there.isLost() || back.isLost();
  }

  /** Bytes that wait for the rest of their message. */
  long heldBytes() {
    return closed ? 0 : (long) there.heldBytes() + back.heldBytes();
  }

  /** Releases what has not left. Nothing is passed any more. */
  void close() {
    closed = true;
    if (!reading) {
      release();
    }
  }

  private void release() {
    there.close();
    back.close();
  }
}
