package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.ByteBuffer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reply that a server sends in place of the first one: it says that there is no item, and one bit
 * of its opaque is wrong. So a gateway can know that it belongs to none of its requests.
 */
final class ForgedReply {
  private static final byte REQUEST = (byte) 0x80;
  private static final byte REPLY = (byte) 0x81;
  private static final int STATUS = 6; // where a header has it
  private static final int OPAQUE = 12;

  /** A line that has an opaque, which is a number of the gateway's. */
  private static final Pattern META =
      Pattern.compile("(m[gsda]) [^\r\n]* O([0-9]{1,10})(?: [^\r\n]*)?\r\n.*", Pattern.DOTALL);

  private ForgedReply() {}

  /**
   * The reply to the first of some requests; null if that has no opaque.
   *
   * @param bit of the opaque, from 0 to 30
   */
  static byte @Nullable [] to(byte[] requests, int bit) {
    if (requests.length >= BinaryReply.HEADER && requests[0] == REQUEST) {
      ByteBuffer asked = ByteBuffer.wrap(requests);
      ByteBuffer reply = ByteBuffer.allocate(BinaryReply.HEADER);
      reply.put(0, REPLY).put(1, requests[1]).putShort(STATUS, (short) BinaryReply.NOT_FOUND);
      return reply.putInt(OPAQUE, asked.getInt(OPAQUE) ^ 1 << bit).array();
    }
    int shown = Math.min(requests.length, 1_000);
    Matcher meta = META.matcher(new String(requests, 0, shown, ISO_8859_1));
    if (!meta.matches()) {
      return null;
    }
    String code =
        switch (meta.group(1)) {
          case "mg" -> "EN";
          case "ms" -> "NS";
          default -> "NF";
        };
    long opaque = Long.parseLong(meta.group(2)) ^ 1L << bit;
    return (code + " O" + opaque + "\r\n").getBytes(ISO_8859_1);
  }
}
