package sluice.gateway.differential;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** What has come on a connection and is not yet read. */
final class Inbox {
  private static final int HEADER = 24;

  private final Dialect dialect;
  private byte[] array = new byte[64 * 1024];
  private int start;
  private int end;

  Inbox(Dialect dialect) {
    this.dialect = dialect;
  }

  /** Room for some more bytes; {@link #filled} tells how many came. */
  ByteBuffer room() {
    if (start > 0) {
      System.arraycopy(array, start, array, 0, end - start);
      end -= start;
      start = 0;
    }
    if (array.length - end < 16 * 1024) {
      array = Arrays.copyOf(array, array.length * 2);
    }
    return ByteBuffer.wrap(array, end, array.length - end);
  }

  void filled(int count) {
    end += count;
  }

  boolean isEmpty() {
    return start == end;
  }

  /** What there is, for a message. */
  String rest() {
    return text(start, end);
  }

  /** The next line or packet; null while it is not whole. */
  Unit next() {
    return dialect == Dialect.BINARY ? nextPacket() : nextLine();
  }

  private Unit nextLine() {
    int feed = start;
    while (feed < end && array[feed] != '\n') {
      feed++;
    }
    if (feed == end) {
      return null;
    }
    boolean whole = feed > start && array[feed - 1] == '\r';
    String line = whole ? text(start, feed - 1) : text(start, feed) + " (without CR)";
    int length = Unit.dataLength(line);
    if (length < 0) {
      start = feed + 1;
      return Unit.of(line, null);
    }
    int dataEnd = feed + 1 + length;
    if (end < dataEnd + 2) {
      return null;
    }
    String data = text(feed + 1, dataEnd);
    if (array[dataEnd] != '\r' || array[dataEnd + 1] != '\n') {
      data += " (without CRLF)";
    }
    start = dataEnd + 2;
    return Unit.of(line, data);
  }

  private Unit nextPacket() {
    if (end - start < HEADER) {
      return null;
    }
    ByteBuffer packet = ByteBuffer.wrap(array, start, end - start).slice();
    int body = packet.getInt(8);
    if (packet.remaining() < HEADER + body) {
      return null;
    }
    int extrasLength = packet.get(4) & 0xff;
    int keyLength = packet.getShort(2) & 0xffff;
    int status = packet.getShort(6) & 0xffff;
    int key = start + HEADER + extrasLength;
    int value = key + keyLength;
    String text =
        Unit.opaqueText(packet.getInt(12))
            + String.format(
                " magic %02x opcode %02x type %02x status %04x extras ",
                packet.get(0), packet.get(1), packet.get(5), status)
            + hex(text(start + HEADER, key))
            + " key "
            + text(key, value);
    String data = text(value, start + HEADER + body);
    start += HEADER + body;
    long cas = packet.getLong(16);
    return new Unit(text, data, List.of(cas), List.of());
  }

  private static String hex(String bytes) {
    StringBuilder hex = new StringBuilder();
    bytes
        .chars()
        .forEach(
            c -> hex.append(Character.forDigit(c >> 4, 16)).append(Character.forDigit(c & 15, 16)));
    return hex.toString();
  }

  private String text(int from, int to) {
    return new String(array, from, to - from, StandardCharsets.ISO_8859_1);
  }
}
