package sluice.perf.simulation;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Packets of the binary protocol that one connection brings to a client, in any parts. */
final class Packets {
  /** Judge of single packets. */
  interface Judge {
    /** Judges a packet: what is wrong; null if nothing is. */
    @Nullable String judge(BinaryReply reply);
  }

  private byte[] arrived = {}; // of a packet that is not complete

  /**
   * Judges the packets that are complete with these bytes, up to the first that is wrong.
   *
   * @return what is wrong, with the packet; null if nothing is
   */
  @Nullable String receive(byte[] bytes, Judge judge) {
    ByteBuffer all = ByteBuffer.allocate(arrived.length + bytes.length).put(arrived).put(bytes);
    all.flip();
    BinaryReply reply = BinaryReply.first(all);
    while (reply != null) {
      String wrong = judge.judge(reply);
      if (wrong != null) {
        return wrong + ", packet: " + reply;
      }
      reply = BinaryReply.first(all);
    }
    arrived = new byte[all.remaining()];
    all.get(arrived);
    return null;
  }
}
