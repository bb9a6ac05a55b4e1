package sluice.embedded;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;

/**
 * Replies of the binary Stat command: a packet for every statistic, and an empty one at the end.
 */
final class BinaryStatistics {
  private static final String DETAIL = "detail";

  private final EmbeddedStore store;
  private final Statistics statistics;

  BinaryStatistics(EmbeddedStore store, Statistics statistics) {
    this.store = store;
    this.statistics = statistics;
  }

  /** Appends the packets; false, with nothing appended, if there are no such statistics. */
  boolean write(ByteBuf request, int nameStart, int nameLength, int opaque, ByteBuf out) {
    String name = request.toString(nameStart, nameLength, StandardCharsets.ISO_8859_1);
    Statistics.Sink sink = (key, value) -> packet(key, value, opaque, out);
    if (name.isEmpty()) {
      statistics.general(sink);
    } else if (name.startsWith("reset")) {
      store.resetCounters();
    } else if (name.startsWith("settings")) {
      statistics.settings(sink);
    } else if (name.startsWith(DETAIL)) {
      if (!detail(name.substring(DETAIL.length()), sink)) {
        return false;
      }
    } else if (!statistics.named(name, sink)) {
      return false;
    }
    packet("", "", opaque, out);
    return true;
  }

  private boolean detail(String what, Statistics.Sink sink) {
    if (what.startsWith(" dump")) {
      sink.add("detailed", store.settings().prefixes.dump() + "END\r\n");
    } else if (what.startsWith(" on")) {
      store.settings().detailEnabled = true;
    } else if (what.startsWith(" off")) {
      store.settings().detailEnabled = false;
    } else {
      return false;
    }
    return true;
  }

  private static void packet(String name, String value, int opaque, ByteBuf out) {
    byte[] key = TextReply.ascii(name);
    byte[] text = TextReply.ascii(value);
    BinaryHeader.writeResponse(
        out, Opcode.STAT, key.length, 0, Opcode.STATUS_OK, key.length + text.length, opaque, 0);
    out.writeBytes(key).writeBytes(text);
  }
}
