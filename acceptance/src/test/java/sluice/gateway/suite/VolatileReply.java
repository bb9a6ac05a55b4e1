package sluice.gateway.suite;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import sluice.gateway.fixtures.Vector;

/**
 * What two replies of a volatile case have in common. Of a text reply that is its distinct lines in
 * order of their first appearance, with
 *
 * <ul>
 *   <li>every number as {@code #}: times, ports, pids, sizes, counters;
 *   <li>the states of connections as {@code conn_*}, and {@code stats conns} sorted: a gateway has
 *       connections of its own, in any order;
 *   <li>{@code OK} and {@code ERROR} alike, after the first line, where the crawler's thread stops
 *       while it is being restarted (recorded as a race).
 * </ul>
 *
 * Of binary statistics it is each packet's opcode, status, opaque and name, and the masked value.
 */
final class VolatileReply {
  private static final Pattern NUMBER = Pattern.compile("-?\\d+");
  private static final Pattern STATE = Pattern.compile("state conn_\\w+");
  private static final Pattern OUTCOME =
      Pattern.compile("^(OK|ERROR .*|CLIENT_ERROR lru crawler disabled)\r$");
  private static final int HEADER = 24;

  private VolatileReply() {}

  /** The reply with all that differs from run to run masked. */
  static String mask(Vector vector, byte[] reply) {
    return vector.protocol().equals("binary") ? maskBinary(reply) : maskText(vector, reply);
  }

  private static String maskText(Vector vector, byte[] reply) {
    boolean raced = vector.name().equals("text-lru-crawler-disable");
    StringBuilder masked = new StringBuilder();
    Set<String> lines =
        vector.name().equals("text-stats-conns") ? new TreeSet<>() : new LinkedHashSet<>();
    int count = 0;
    for (String line : new String(reply, StandardCharsets.ISO_8859_1).split("\n", -1)) {
      if (raced && count > 0) {
        line = OUTCOME.matcher(line).replaceAll("OK or ERROR " + count + "\r");
      } else {
        line = STATE.matcher(line).replaceAll("state conn_*");
        line = NUMBER.matcher(line).replaceAll("#");
      }
      lines.add(line);
      count++;
    }
    lines.forEach(line -> masked.append(line).append('\n'));
    return masked.toString();
  }

  private static String maskBinary(byte[] reply) {
    StringBuilder masked = new StringBuilder();
    ByteBuffer packets = ByteBuffer.wrap(reply);
    while (packets.remaining() >= HEADER) {
      int at = packets.position();
      int keyLength = packets.getShort(at + 2);
      int bodyLength = packets.getInt(at + 8);
      if (bodyLength < keyLength || bodyLength > packets.remaining() - HEADER) {
        break;
      }
      String key = new String(reply, at + HEADER, keyLength, StandardCharsets.ISO_8859_1);
      String value =
          new String(
              reply, at + HEADER + keyLength, bodyLength - keyLength, StandardCharsets.ISO_8859_1);
      masked.append(
          String.format(
              "opcode %02x status %04x opaque %08x %s=%s%n",
              packets.get(at + 1),
              packets.getShort(at + 6),
              packets.getInt(at + 12),
              NUMBER.matcher(key).replaceAll("#"),
              NUMBER.matcher(value).replaceAll("#")));
      packets.position(at + HEADER + bodyLength);
    }
    return masked + (packets.hasRemaining() ? packets.remaining() + " more bytes" : "");
  }
}
