package sluice.codecs.memcached.bridge;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.AsciiNumber;
import sluice.codecs.memcached.text.TextReply;

/** Writer of classic text replies (memcached's protocol.txt, "Commands"). */
public final class TextReplyWriter implements ReplyWriter {
  public static final TextReplyWriter INSTANCE = new TextReplyWriter();

  private static final String NOT_FOUND = "NOT_FOUND\r\n";

  /** The name of the statistic with the lines of {@code stats detail dump}. */
  private static final String DETAILED = "detailed";

  private static final String PREFIX = "PREFIX ";
  private static final byte[] RESET = "reset".getBytes(US_ASCII);
  private static final byte[] DETAIL_ON = "detail on".getBytes(US_ASCII);
  private static final byte[] DETAIL_OFF = "detail off".getBytes(US_ASCII);

  private TextReplyWriter() {}

  @Override
  public void write(Reply reply, Awaited awaited, ByteBuf out) {
    if (reply.status.isError()) {
      writeError(reply, out);
      return;
    }
    boolean done = reply.status == Status.OK;
    switch (awaited.operation) {
      case GET -> value(reply, awaited, out);
      case DELETE -> line(out, done ? "DELETED\r\n" : NOT_FOUND);
      case TOUCH -> line(out, done ? "TOUCHED\r\n" : NOT_FOUND);
      case INCREMENT, DECREMENT -> {
        if (done) {
          AsciiNumber.writeUnsigned(out, reply.number);
          line(out, "\r\n");
        } else {
          line(out, NOT_FOUND);
        }
      }
      case FLUSH, VERBOSITY -> line(out, "OK\r\n");
      case VERSION -> {
        line(out, "VERSION ");
        printable(reply.text.buffer, reply.text.from, reply.text.to, out);
        line(out, "\r\n");
      }
      case STATS -> statistic(reply, awaited, out);
      default -> line(out, stored(reply.status));
    }
  }

  private static String stored(Status status) {
    return switch (status) {
      case OK -> "STORED\r\n";
      case NOT_STORED -> "NOT_STORED\r\n";
      case EXISTS -> "EXISTS\r\n";
      default -> NOT_FOUND;
    };
  }

  private static void value(Reply reply, Awaited awaited, ByteBuf out) {
    if (reply.status == Status.OK) {
      line(out, "VALUE ");
      awaited.echoed.writeKey(out);
      number(out, Integer.toUnsignedLong(reply.flags));
      number(out, reply.valueLength);
      if ((awaited.wants & Request.CAS) != 0) {
        number(out, reply.cas);
      }
      line(out, "\r\n");
    } else if (!awaited.isPart) {
      line(out, "END\r\n");
    }
  }

  @Override
  public void endValue(Awaited awaited, ByteBuf out) {
    line(out, awaited.isPart ? "\r\n" : "\r\nEND\r\n");
  }

  private static void statistic(Reply reply, Awaited awaited, ByteBuf out) {
    if (!reply.goesOn) {
      line(out, lastOfStatistics(awaited));
    } else if (TextReply.is(reply.name.buffer, reply.name.from, reply.name.to, DETAILED)) {
      prefixes(reply.text, out);
    } else {
      line(out, "STAT ");
      printable(reply.name.buffer, reply.name.from, reply.name.to, out);
      line(out, " ");
      printable(reply.text.buffer, reply.text.from, reply.text.to, out);
      line(out, "\r\n");
    }
  }

  private static String lastOfStatistics(Awaited awaited) {
    if (awaited.echoed.isKey(RESET)) {
      return "RESET\r\n";
    }
    return awaited.echoed.isKey(DETAIL_ON) || awaited.echoed.isKey(DETAIL_OFF)
        ? "OK\r\n"
        : "END\r\n";
  }

  /**
   * Appends the lines of {@code stats detail dump}, which a binary server sends as one value with
   * its own END. They contain parts of keys, which may contain line ends.
   */
  private static void prefixes(ByteRange dump, ByteBuf out) {
    ByteBuf in = dump.buffer;
    int next;
    for (int from = dump.from; from < dump.to; from = next) {
      int lf = in.indexOf(from, dump.to, (byte) '\n');
      next = lf < 0 ? dump.to : lf + 1;
      int end = lf < 0 ? dump.to : lf;
      end -= end > from && in.getByte(end - 1) == '\r' ? 1 : 0;
      if (TextReply.startsWith(in, from, end, PREFIX)) {
        printable(in, from, end, out);
        line(out, "\r\n");
      }
    }
  }

  /** Appends bytes that clients, or a server, may have chosen; none of them may end the line. */
  private static void printable(ByteBuf in, int from, int to, ByteBuf out) {
    for (int i = from; i < to; i++) {
      byte character = in.getByte(i);
      out.writeByte(character >= 0 && character < ' ' ? '?' : character);
    }
  }

  /** Appends an error: the server's own line if there is one. */
  static void writeError(Reply reply, ByteBuf out) {
    if (reply.hasText()) {
      reply.text.appendTo(out);
    } else {
      line(
          out,
          switch (reply.status) {
            case TOO_LARGE -> "SERVER_ERROR object too large for cache";
            case OUT_OF_MEMORY -> "SERVER_ERROR out of memory storing object";
            case NON_NUMERIC -> "CLIENT_ERROR cannot increment or decrement non-numeric value";
            case NOT_ALLOWED -> "CLIENT_ERROR not allowed";
            case CLIENT_ERROR -> "CLIENT_ERROR invalid arguments";
            case UNKNOWN_COMMAND -> "ERROR";
            default -> "SERVER_ERROR the server failed";
          });
    }
    line(out, "\r\n");
  }

  private static void number(ByteBuf out, long value) {
    out.writeByte(' ');
    AsciiNumber.writeUnsigned(out, value);
  }

  private static void line(ByteBuf out, String ascii) {
    out.writeCharSequence(ascii, US_ASCII);
  }
}
