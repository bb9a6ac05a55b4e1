package sluice.gateway.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;
import sluice.gateway.loop.Loop;

/**
 * The {@code stats} of several servers as one: numbers are added up, but what is no amount (pid,
 * version, settings) is the first server's.
 */
final class StatsSum {
  private static final Set<String> FIRST_SERVERS =
      Set.of(
          "pid",
          "uptime",
          "time",
          "version",
          "libevent",
          "pointer_size",
          "max_connections",
          "threads",
          "hash_power_level",
          "accepting_conns",
          "slab_reassign_running",
          "lru_crawler_running");
  private static final Pattern AMOUNT = Pattern.compile("[0-9]{1,18}");

  private StatsSum() {}

  /**
   * The text replies as one; the first that is an error is the answer. The caller owns the result.
   */
  static ByteBuf ofText(Loop loop, List<ByteBuf> replies) {
    Map<String, String> sums = new LinkedHashMap<>();
    for (ByteBuf reply : replies) {
      String text = reply.toString(ISO_8859_1);
      if (!text.startsWith("STAT ") && !text.startsWith("END")) {
        return reply.retainedSlice();
      }
      for (String line : text.split("\r\n", -1)) {
        String[] words = line.split(" ", 3);
        if (words.length == 3 && words[0].equals("STAT")) {
          add(sums, words[1], words[2]);
        }
      }
    }
    StringBuilder all = new StringBuilder();
    sums.forEach(
        (name, value) -> all.append("STAT ").append(name).append(' ').append(value).append("\r\n"));
    ByteBuf out = loop.buffer(all.length() + 5);
    out.writeCharSequence(all.append("END\r\n"), ISO_8859_1);
    return out;
  }

  /** The binary replies as one, for a request with this opaque. The caller owns the result. */
  static ByteBuf ofBinary(Loop loop, List<ByteBuf> replies, int opaque) {
    Map<String, String> sums = new LinkedHashMap<>();
    for (ByteBuf reply : replies) {
      if (reply.readableBytes() < BinaryHeader.LENGTH
          || BinaryHeader.status(reply, reply.readerIndex()) != Opcode.STATUS_OK) {
        return reply.retainedSlice();
      }
      int at = reply.readerIndex();
      while (at + BinaryHeader.LENGTH <= reply.writerIndex()) {
        int key = BinaryHeader.keyLength(reply, at);
        int body = (int) BinaryHeader.bodyLength(reply, at);
        int keyStart = BinaryHeader.keyStart(reply, at);
        if (key > 0) {
          add(
              sums,
              reply.toString(keyStart, key, ISO_8859_1),
              reply.toString(
                  keyStart + key, at + BinaryHeader.LENGTH + body - keyStart - key, ISO_8859_1));
        }
        at += BinaryHeader.LENGTH + body;
      }
    }
    ByteBuf out = loop.buffer(4096);
    sums.forEach(
        (name, value) -> {
          BinaryHeader.writeResponse(
              out, Opcode.STAT, name.length(), 0, 0, name.length() + value.length(), opaque, 0);
          out.writeCharSequence(name, ISO_8859_1);
          out.writeCharSequence(value, ISO_8859_1);
        });
    BinaryHeader.writeResponse(out, Opcode.STAT, 0, 0, 0, 0, opaque, 0);
    return out;
  }

  private static void add(Map<String, String> sums, String name, String value) {
    sums.merge(
        name,
        value,
        (before, more) ->
            FIRST_SERVERS.contains(name)
                    || !AMOUNT.matcher(before).matches()
                    || !AMOUNT.matcher(more).matches()
                ? before
                : Long.toString(Long.parseLong(before) + Long.parseLong(more)));
  }
}
