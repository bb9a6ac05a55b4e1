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
import sluice.codecs.memcached.text.TextReply;
import sluice.gateway.loop.Loop;
import sluice.gateway.server.BinaryErrors;
import sluice.gateway.server.TextErrors;

/**
 * Combination of several servers' {@code stats}. Amounts are added up, and ages are the greatest.
 * Other statistics (pid, version, settings) are the first server's.
 *
 * <p>Each statistic takes about ten times its bytes on the heap. The combination is therefore no
 * longer than one server's reply may be.
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

  /** Length of a line besides its name and its value. */
  private static final int LINE = 8;

  private static final byte LF = '\n';
  private static final String STAT = "STAT ";
  private static final String END = "END\r\n";
  private static final String TOO_LONG = "the servers' statistics are too long";

  private final Map<String, String> values = new LinkedHashMap<>(); // by their names
  private final Kind kind;
  private int length; // of its lines, about

  private StatsSum(Kind kind) {
    this.kind = kind;
  }

  /** Combines text replies; the first error is the answer. The caller owns the result. */
  public static ByteBuf ofText(Loop loop, List<ByteBuf> replies, Kind kind) {
    StatsSum sum = new StatsSum(kind);
    for (ByteBuf reply : replies) {
      int from = reply.readerIndex();
      int to = reply.writerIndex();
      if (!TextReply.startsWith(reply, from, to, STAT)
          && !TextReply.startsWith(reply, from, to, "END")) {
        return reply.retainedSlice();
      }
      sum.addLines(reply, from, to);
    }
    if (sum.isTooLong()) {
      return TextErrors.serverError(loop, TOO_LONG);
    }
    ByteBuf out = loop.buffer(sum.length + END.length());
    sum.values.forEach((name, value) -> writeLine(name, value, out));
    out.writeCharSequence(END, ISO_8859_1);
    return out;
  }

  private static void writeLine(String name, String value, ByteBuf out) {
    out.writeCharSequence(STAT, ISO_8859_1);
    out.writeCharSequence(name, ISO_8859_1);
    out.writeByte(' ');
    out.writeCharSequence(value, ISO_8859_1);
    out.writeShort('\r' << 8 | '\n');
  }

  /** Adds the lines [from, to) of a reply. Borrows reply. */
  private void addLines(ByteBuf reply, int from, int to) {
    int at = from;
    while (at < to && !isTooLong()) {
      int lf = reply.indexOf(at, to, LF);
      int next = lf < 0 ? to : lf + 1;
      int end = lf < 0 ? to : lf;
      end -= end > at && reply.getByte(end - 1) == '\r' ? 1 : 0;
      if (TextReply.startsWith(reply, at, end, STAT)) {
        addLine(reply.toString(at + STAT.length(), end - at - STAT.length(), ISO_8859_1));
      }
      at = next;
    }
  }

  /** Adds a line without its first word. */
  private void addLine(String line) {
    int space = line.indexOf(' ');
    if (space >= 0) {
      add(line.substring(0, space), line.substring(space + 1));
    }
  }

  /** Combines binary replies, for a request with this opaque. The caller owns the result. */
  public static ByteBuf ofBinary(Loop loop, List<ByteBuf> replies, Kind kind, int opaque) {
    StatsSum sum = new StatsSum(kind);
    for (ByteBuf reply : replies) {
      if (reply.readableBytes() < BinaryHeader.LENGTH
          || BinaryHeader.status(reply, reply.readerIndex()) != Opcode.STATUS_OK) {
        return reply.retainedSlice();
      }
      sum.addPackets(reply);
    }
    if (sum.isTooLong()) {
      return BinaryErrors.packet(
          loop, Opcode.STAT, opaque, Opcode.STATUS_TEMPORARY_FAILURE, TOO_LONG);
    }
    ByteBuf out = loop.buffer(4096);
    sum.values.forEach(
        (name, value) -> {
          BinaryHeader.writeResponse(
              out, Opcode.STAT, name.length(), 0, 0, name.length() + value.length(), opaque, 0);
          out.writeCharSequence(name, ISO_8859_1);
          out.writeCharSequence(value, ISO_8859_1);
        });
    BinaryHeader.writeResponse(out, Opcode.STAT, 0, 0, 0, 0, opaque, 0);
    return out;
  }

  /** Adds the packets of a reply. Borrows reply. */
  private void addPackets(ByteBuf reply) {
    int at = reply.readerIndex();
    while (at + BinaryHeader.LENGTH <= reply.writerIndex() && !isTooLong()) {
      int key = BinaryHeader.keyLength(reply, at);
      int body = (int) BinaryHeader.bodyLength(reply, at);
      int keyStart = BinaryHeader.keyStart(reply, at);
      if (key > 0) {
        add(
            reply.toString(keyStart, key, ISO_8859_1),
            reply.toString(
                keyStart + key, at + BinaryHeader.LENGTH + body - keyStart - key, ISO_8859_1));
      }
      at += BinaryHeader.LENGTH + body;
    }
  }

  private boolean isTooLong() {
    return length > BroadcastReply.MOST_OF_ONE;
  }

  private void add(String name, String value) {
    String before = values.putIfAbsent(name, value);
    if (before == null) {
      length += name.length() + value.length() + LINE;
    } else {
      values.put(name, both(name, before, value, kind));
    }
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
