package sluice.codecs.memcached.bridge;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;

/** Writer of binary reply packets (memcached's protocol_binary.h). */
public final class BinaryReplyWriter implements ReplyWriter {
  public static final BinaryReplyWriter INSTANCE = new BinaryReplyWriter();

  private BinaryReplyWriter() {}

  @Override
  public void write(Reply reply, Awaited awaited, ByteBuf out) {
    int status = status(reply.status, awaited.operation);
    if (status == Opcode.STATUS_OK) {
      success(reply, awaited, out);
    } else if (status == Opcode.STATUS_NOT_FOUND
        && awaited.echoed.keyLength > 0
        && isRead(awaited)) {
      header(awaited, status, awaited.echoed.keyLength, 0, awaited.echoed.keyLength, 0, out);
      awaited.echoed.writeKey(out);
    } else if (reply.hasText() && isOnlyText(reply.status)) {
      int length = reply.text.length();
      header(awaited, status, 0, 0, length, 0, out);
      reply.text.appendTo(out);
    } else {
      String text = text(status);
      header(awaited, status, 0, 0, text.length(), 0, out);
      out.writeCharSequence(text, US_ASCII);
    }
  }

  /** Whether the status alone does not describe the failure. */
  private static boolean isOnlyText(Status status) {
    return status == Status.SERVER_ERROR || status == Status.CLIENT_ERROR;
  }

  private static boolean isRead(Awaited awaited) {
    return awaited.operation == Operation.GET;
  }

  private static void success(Reply reply, Awaited awaited, ByteBuf out) {
    int text = reply.text.length();
    switch (awaited.operation) {
      case GET -> {
        int key = awaited.echoed.keyLength;
        int body = Integer.BYTES + key + reply.valueLength;
        header(awaited, Opcode.STATUS_OK, key, Integer.BYTES, body, reply.cas, out);
        out.writeInt(reply.flags);
        awaited.echoed.writeKey(out);
      }
      case TOUCH -> {
        header(awaited, Opcode.STATUS_OK, 0, Integer.BYTES, Integer.BYTES, reply.cas, out);
        out.writeInt(reply.flags);
      }
      case INCREMENT, DECREMENT -> {
        header(awaited, Opcode.STATUS_OK, 0, 0, Long.BYTES, reply.cas, out);
        out.writeLong(reply.number);
      }
      case VERSION -> {
        header(awaited, Opcode.STATUS_OK, 0, 0, text, 0, out);
        reply.text.appendTo(out);
      }
      case STATS -> {
        int name = reply.name.length();
        // The last packet is empty, even if the server's has a value.
        header(awaited, Opcode.STATUS_OK, name, 0, name > 0 ? name + text : 0, 0, out);
        if (name > 0) {
          reply.name.appendTo(out);
          reply.text.appendTo(out);
        }
      }
      case DELETE, FLUSH, VERBOSITY -> header(awaited, Opcode.STATUS_OK, 0, 0, 0, 0, out);
      default -> header(awaited, Opcode.STATUS_OK, 0, 0, 0, reply.cas, out);
    }
  }

  private static void header(
      Awaited awaited, int status, int key, int extras, int body, long cas, ByteBuf out) {
    BinaryHeader.writeResponse(
        out, awaited.echoed.opcode, key, extras, status, body, awaited.echoed.opaque, cas);
  }

  private static int status(Status status, Operation operation) {
    return switch (status) {
      case OK -> Opcode.STATUS_OK;
      case NOT_FOUND -> Opcode.STATUS_NOT_FOUND;
      case EXISTS -> Opcode.STATUS_EXISTS;
      case NOT_STORED ->
          switch (operation) {
            case ADD -> Opcode.STATUS_EXISTS;
            case REPLACE -> Opcode.STATUS_NOT_FOUND;
            default -> Opcode.STATUS_NOT_STORED;
          };
      case TOO_LARGE -> Opcode.STATUS_TOO_LARGE;
      case OUT_OF_MEMORY -> Opcode.STATUS_OUT_OF_MEMORY;
      case NON_NUMERIC -> Opcode.STATUS_NON_NUMERIC;
      case NOT_ALLOWED -> Opcode.STATUS_AUTH_ERROR;
      case UNKNOWN_COMMAND ->
          operation == Operation.STATS ? Opcode.STATUS_NOT_FOUND : Opcode.STATUS_UNKNOWN_COMMAND;
      case CLIENT_ERROR -> Opcode.STATUS_INVALID_ARGUMENTS;
      case SERVER_ERROR -> Opcode.STATUS_INTERNAL_ERROR;
    };
  }

  /** The text that memcached sends with a status. */
  private static String text(int status) {
    return switch (status) {
      case Opcode.STATUS_NOT_FOUND -> "Not found";
      case Opcode.STATUS_EXISTS -> "Data exists for key.";
      case Opcode.STATUS_TOO_LARGE -> "Too large.";
      case Opcode.STATUS_INVALID_ARGUMENTS -> "Invalid arguments";
      case Opcode.STATUS_NOT_STORED -> "Not stored.";
      case Opcode.STATUS_NON_NUMERIC -> "Non-numeric server-side value for incr or decr";
      case Opcode.STATUS_AUTH_ERROR -> "Auth failure.";
      case Opcode.STATUS_UNKNOWN_COMMAND -> "Unknown command";
      case Opcode.STATUS_OUT_OF_MEMORY -> "Out of memory allocating item";
      default -> "Internal error";
    };
  }

  @Override
  public void endValue(Awaited awaited, ByteBuf out) {
    // the header has stated the value's length
  }
}
