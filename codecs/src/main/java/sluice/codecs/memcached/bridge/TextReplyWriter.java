package sluice.codecs.memcached.bridge;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.AsciiNumber;

/** Writer of classic text replies (memcached's protocol.txt, "Commands"). */
public final class TextReplyWriter implements ReplyWriter {
  public static final TextReplyWriter INSTANCE = new TextReplyWriter();

  private static final String NOT_FOUND = "NOT_FOUND\r\n";
  private static final byte[] RESET = "reset".getBytes(US_ASCII);

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
        reply.text.appendTo(out);
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
    if (reply.goesOn) {
      line(out, "STAT ");
      reply.name.appendTo(out);
      line(out, " ");
      reply.text.appendTo(out);
      line(out, "\r\n");
    } else {
      line(out, awaited.echoed.isKey(RESET) ? "RESET\r\n" : "END\r\n");
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
