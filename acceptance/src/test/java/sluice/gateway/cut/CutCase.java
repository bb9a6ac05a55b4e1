package sluice.gateway.cut;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import sluice.gateway.fixtures.Vector;

/**
 * Requests of one client, to be cut.
 *
 * @param setup text requests that prepare the server
 * @param isCounting whether the reply holds counters: then only its words are compared
 */
// Nobody compares them by equals; lines end as they do on the wire.
@SuppressWarnings({"ArrayRecordComponent", "StringConcatToTextBlock"})
record CutCase(String name, List<byte[]> setup, byte[] request, boolean isCounting) {

  /** These change or tell what all connections of a server share. */
  private static final Pattern SHARED_STATE =
      Pattern.compile(
          "(?m)^\\s*(stats|watch|lru|lru_crawler|slabs|shutdown|cache_memlimit|debugtime|misbehave"
              + "|verbosity|refresh_certs|extstore|flush_all [0-9-]+)\\b");

  private static final int STAT = 0x10;
  private static final int FLUSH = 0x08;
  private static final int FLUSHQ = 0x18;

  /** The recorded cases of one step that any server answers alike at any time. */
  static List<CutCase> recorded() {
    List<CutCase> cases = new ArrayList<>();
    for (Vector vector : Vector.Manifest.read().vectors()) {
      byte[] request = join(vector.steps().get(0).writes());
      if (vector.steps().size() == 1
          && vector.profile().equals("default")
          && !vector.isVolatile()
          && request.length > 0
          && request.length < 200_000
          && !SHARED_STATE.matcher(new String(request, ISO_8859_1)).find()
          && !sharesStateInBinary(request)) {
        cases.add(new CutCase(vector.name(), vector.setup(), request, false));
      }
    }
    return cases;
  }

  private static boolean sharesStateInBinary(byte[] request) {
    for (int at = 0; at + 24 <= request.length && request[at] == (byte) 0x80; ) {
      int opcode = request[at + 1];
      if (opcode == STAT || opcode == FLUSH || opcode == FLUSHQ) {
        return true;
      }
      int body = java.nio.ByteBuffer.wrap(request, at + 8, 4).getInt();
      if (body < 0 || body > request.length) {
        return false;
      }
      at += 24 + body;
    }
    return false;
  }

  /** What the recordings lack: large values, long pipelines, everything quiet at once. */
  static List<CutCase> own() {
    String large = "x".repeat(70 * 1024);
    String k = "set k 7 0 3\r\nabc\r\n";
    return List.of(
        text("own-large-set", "", "set big 1 0 71680\r\n" + large + "\r\nget big\r\n"),
        text("own-large-noreply", "", "set big 1 0 71680 noreply\r\n" + large + "\r\nmg big s\r\n"),
        text("own-large-append", k, "append k 0 0 71680\r\n" + large + "\r\nmg k s v\r\n"),
        text("own-large-ms", "", "ms big 71680 T0 q\r\n" + large + "\r\nmg big s v Oabc\r\n"),
        text("own-too-large", k, "set k 0 0 1100000\r\n" + "y".repeat(1_100_000) + "\r\nget k\r\n"),
        text(
            "own-large-get", "set big 1 0 71680\r\n" + large + "\r\n", "get big\r\ngets big k\r\n"),
        text(
            "own-pipeline",
            k,
            "get k\r\nset a 1 0 1\r\n1\r\nincr a 5\r\ndecr a 2\r\ngat 0 a k\r\ngats 0 a\r\n"
                + "touch a 0\r\nadd a 0 0 1\r\n2\r\nreplace a 0 0 1\r\n3\r\nappend a 0 0 1\r\n4\r\n"
                + "prepend a 0 0 1\r\n5\r\nget a k none\r\ndelete a\r\nversion\r\nbogus\r\n"),
        text(
            "own-noreply-pipeline",
            k,
            "set a 1 0 1 noreply\r\n"
                + "1\r\n"
                + "incr a 5 noreply\r\n"
                + "add a 0 0 1 noreply\r\n"
                + "2\r\n"
                + "append a 0 0 1 noreply\r\n"
                + "4\r\n"
                + "touch a 0 noreply\r\n"
                + "cas a 0 0 1 1 noreply\r\n"
                + "6\r\n"
                + "delete k noreply\r\n"
                + "get a k\r\n"),
        text(
            "own-meta-pipeline",
            k,
            "mg k v f t k Oone\r\n"
                + "mg none v q Otwo\r\n"
                + "mg k q v\r\n"
                + "ms m 2 q\r\n"
                + "hi\r\n"
                + "ms m 2 Ox k\r\n"
                + "ho\r\n"
                + "ma n N0 J5 v Oy\r\n"
                + "ma n v q\r\n"
                + "md m q\r\n"
                + "md none q\r\n"
                + "md k Oz k\r\n"
                + "mn\r\n"
                + "mg Zm9v b v k Ob\r\n"
                + "ms Zm9v 1 b\r\n"
                + "1\r\n"
                + "mg Zm9v b v k Ob\r\n"
                + "mg k E\r\n"),
        counting("own-stats", "stats\r\n"),
        counting("own-stats-settings", "stats settings\r\nget k\r\n"),
        text("own-bare-line-feeds", k, "get k\nset a 0 0 1\n1\r\nget a\n"),
        text("own-quit", k, "get k\r\nquit\r\nget k\r\n"),
        binary(
            "own-binary-pipeline",
            k,
            packet(0x00, 1, "", "k", ""),
            packet(0x0d, 2, "", "none", ""),
            packet(0x09, 3, "", "k", ""),
            packet(0x11, 4, "0000000500000000", "a", "12"),
            packet(0x15, 5, "0000000000000002000000000000000000000000", "a", ""),
            packet(0x05, 6, "0000000000000003000000000000000000000000", "a", ""),
            packet(0x1d, 7, "00000000", "a", ""),
            packet(0x23, 8, "00000000", "a", ""),
            packet(0x1c, 9, "00000000", "a", ""),
            packet(0x0e, 10, "", "a", "9"),
            packet(0x1a, 11, "", "a", "8"),
            packet(0x0c, 12, "", "a", ""),
            packet(0x14, 13, "", "none", ""),
            packet(0x04, 14, "", "a", ""),
            packet(0x0b, 15, "", "", "")),
        binary(
            "own-binary-large",
            "",
            packet(0x01, 1, "0000000000000000", "big", large),
            packet(0x11, 2, "0000000000000000", "big2", large),
            packet(0x0c, 3, "", "big2", "")));
  }

  private static CutCase text(String name, String setup, String request) {
    return new CutCase(
        name,
        setup.isEmpty() ? List.of() : List.of(setup.getBytes(ISO_8859_1)),
        request.getBytes(ISO_8859_1),
        false);
  }

  private static CutCase counting(String name, String request) {
    return new CutCase(name, List.of(), request.getBytes(ISO_8859_1), true);
  }

  private static CutCase binary(String name, String setup, byte[]... packets) {
    return new CutCase(
        name,
        setup.isEmpty() ? List.of() : List.of(setup.getBytes(ISO_8859_1)),
        join(List.of(packets)),
        false);
  }

  private static byte[] packet(int opcode, int opaque, String extras, String key, String value) {
    byte[] head = HexFormat.of().parseHex(extras);
    byte[] body = (key + value).getBytes(ISO_8859_1);
    return java.nio.ByteBuffer.allocate(24 + head.length + body.length)
        .put((byte) 0x80)
        .put((byte) opcode)
        .putShort((short) key.length())
        .put((byte) head.length)
        .put((byte) 0)
        .putShort((short) 0)
        .putInt(head.length + body.length)
        .putInt(opaque)
        .putLong(0)
        .put(head)
        .put(body)
        .array();
  }

  private static byte[] join(List<byte[]> parts) {
    java.io.ByteArrayOutputStream all = new java.io.ByteArrayOutputStream();
    parts.forEach(all::writeBytes);
    return all.toByteArray();
  }

  /** The reply without what differs from run to run: cas uniques and times. */
  String mask(byte[] reply) {
    if (Fence.of(request) == Fence.BINARY) {
      byte[] masked = reply.clone();
      for (int at = 0; at + 24 <= masked.length && masked[at] == (byte) 0x81; ) {
        java.util.Arrays.fill(masked, at + 16, at + 24, (byte) 0);
        int body = java.nio.ByteBuffer.wrap(masked, at + 8, 4).getInt();
        at = body < 0 || body > masked.length ? masked.length : at + 24 + body;
      }
      return new String(masked, ISO_8859_1);
    }
    String text = new String(reply, ISO_8859_1);
    if (isCounting) {
      return text.replaceAll("\\d+(\\.\\d+)?", "#");
    }
    return text.replaceAll("(VALUE \\S+ \\d+ \\d+) \\d+", "$1 #")
        .replaceAll("(?<= )([ctlh])-?\\d+(?=[ \r])", "$1#")
        .replaceAll("\\b(cas|la|exp)=-?\\d+", "$1=#");
  }

  @Override
  public String toString() {
    return name;
  }
}
