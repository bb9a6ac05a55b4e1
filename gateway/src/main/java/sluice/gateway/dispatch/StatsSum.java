package sluice.gateway.dispatch;

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
 * Combination of several servers' {@code stats}. Amounts are added up, and ages are the greatest.
 * Other statistics (pid, version, settings) are the first server's.
 */
public final class StatsSum {
  /** Method of combining the replies to a {@code stats}. */
  public enum Kind {
    /** Lines of the same name are added up. */
    SUM,
    /** The first server that has a line determines it. */
    FIRST,
    /** There are no lines: the first reply that is not a success is the answer. */
    DONE,
    /** Cannot be combined. */
    NONE;

    /**
     * The method for a {@code stats}.
     *
     * @param arguments of the command, with single spaces; empty for none
     */
    public static Kind of(String arguments) {
      return switch (arguments) {
        case "settings", "conns" -> FIRST;
        case "reset", "detail on", "detail off" -> DONE;
        case "", "items", "slabs", "sizes", "extstore" -> SUM;
        // Its lines may contain keys: memcached reads "d dump" as "detail dump".
        default -> NONE;
      };
    }
  }

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

  /** Statistic of a slab class. */
  private static final Pattern SIZE = Pattern.compile("[0-9]+:chunk(_size|s_per_page)");

  private static final Pattern AGE = Pattern.compile("items:[0-9]+:age.*");

  private StatsSum() {}

  /** Combines text replies; the first error is the answer. The caller owns the result. */
  public static ByteBuf ofText(Loop loop, List<ByteBuf> replies, Kind kind) {
    Map<String, String> sums = new LinkedHashMap<>();
    for (ByteBuf reply : replies) {
      String text = reply.toString(ISO_8859_1);
      if (!text.startsWith("STAT ") && !text.startsWith("END")) {
        return reply.retainedSlice();
      }
      for (String line : text.split("\r\n", -1)) {
        String[] words = line.split(" ", 3);
        if (words.length == 3 && words[0].equals("STAT")) {
          add(sums, words[1], words[2], kind);
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

  /** Combines binary replies, for a request with this opaque. The caller owns the result. */
  public static ByteBuf ofBinary(Loop loop, List<ByteBuf> replies, Kind kind, int opaque) {
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
                  keyStart + key, at + BinaryHeader.LENGTH + body - keyStart - key, ISO_8859_1),
              kind);
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

  private static void add(Map<String, String> sums, String name, String value, Kind kind) {
    sums.merge(name, value, (before, more) -> both(name, before, more, kind));
  }

  private static String both(String name, String before, String more, Kind kind) {
    if (kind == Kind.FIRST
        || FIRST_SERVERS.contains(name)
        || SIZE.matcher(name).matches()
        || !AMOUNT.matcher(before).matches()
        || !AMOUNT.matcher(more).matches()) {
      return before;
    }
    long one = Long.parseLong(before);
    long other = Long.parseLong(more);
    return Long.toString(AGE.matcher(name).matches() ? Math.max(one, other) : one + other);
  }
}
