package sluice.gateway.server;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.gateway.loop.Loop;

/** Response packets that the gateway creates itself. The caller owns the methods' results. */
public final class BinaryErrors {
  private BinaryErrors() {}

  /** A response without extras, key and cas, whose value is text. */
  public static ByteBuf packet(Loop loop, int opcode, int opaque, int status, String text) {
    ByteBuf packet = loop.buffer(BinaryHeader.LENGTH + text.length());
    BinaryHeader.writeResponse(packet, opcode, 0, 0, status, text.length(), opaque, 0);
    packet.writeCharSequence(text, US_ASCII);
    return packet;
  }
}
