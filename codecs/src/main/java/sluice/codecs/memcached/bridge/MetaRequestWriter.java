package sluice.codecs.memcached.bridge;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.AsciiNumber;
import sluice.codecs.buffer.Bytes;
import sluice.codecs.memcached.text.Base64Key;
import sluice.codecs.memcached.text.StorageLine;
import sluice.codecs.memcached.text.TextLine;

/**
 * Writer of requests as meta commands (memcached's protocol.txt, "Meta Commands"). A request
 * without a meta command is sent in its classic form, which every server that knows meta also
 * knows.
 *
 * <p>It never requests {@code k}: a server repeats a raw key in raw form, and that key can break
 * the line.
 */
public final class MetaRequestWriter implements RequestWriter {
  public static final MetaRequestWriter INSTANCE = new MetaRequestWriter();

  private static final String NO_KEY = "an empty key";
  private static final String KEY_TOO_LONG = "a key of more than 186 bytes that needs base64";
  private static final String TOO_LONG = "a meta line of more than 1024 bytes or 19 tokens";

  private static final String NUL_IN_FLAG = "a meta flag with a NUL";

  /** The most tokens added to those of the client: b, D, J, O. */
  private static final int ADDED = 4;

  /** A server closes the connection for a longer line that arrives in two reads. */
  private static final int MOST_LINE = 1024;

  private MetaRequestWriter() {}

  @Override
  public boolean endsValueWithLine() {
    return true;
  }

  @Override
  public ReplyReader replies() {
    return MetaReplyReader.INSTANCE;
  }

  @Override
  public @Nullable String write(Request request, int opaque, Awaited awaited, ByteBuf out) {
    if (request.operation.isKeyless()) {
      return KeylessLineWriter.write(request, out);
    }
    boolean base64 = request.isBase64 || KeyBytes.wantBase64(request.key);
    if (request.key.length() == 0) {
      return NO_KEY;
    }
    if (hasNulInRest(request)) {
      return NUL_IN_FLAG;
    }
    if (!base64 && request.key.length() > KeyBytes.MOST) {
      return KEY_TOO_LONG;
    }
    int start = out.writerIndex();
    if (base64 && Base64Key.encodedLength(request.key.length()) > KeyBytes.MOST) {
      return KEY_TOO_LONG;
    }
    out.writeByte('m').writeByte(command(request.operation)).writeByte(' ');
    if (base64) {
      Base64Key.encode(request.key.buffer, request.key.from, request.key.to, out);
    } else {
      request.key.appendTo(out);
    }
    if (request.operation.isStorage()) {
      number(out, "", request.valueLength);
    }
    if (base64) {
      out.writeShort(' ' << 8 | 'b');
    }
    flags(request, out);
    if (opaque >= 0) {
      number(out, "O", opaque);
      awaited.serverOpaque(opaque);
    }
    out.writeShort('\r' << 8 | '\n');
    if (out.writerIndex() - start > MOST_LINE || hasTooManyTokens(request, start, out)) {
      out.writerIndex(start);
      return TOO_LONG;
    }
    return null;
  }

  /**
   * Whether a flag that would be copied has a NUL. A server before 1.6.40 ends the line there: it
   * would not see the opaque, and its answer could not be told from another request's.
   */
  private static boolean hasNulInRest(Request request) {
    TextLine line = request.meta.line;
    if (line == null || !line.hasNul()) {
      return false;
    }
    for (int i = 0; i < request.meta.restLength; i++) {
      int start = line.start(request.meta.rest[i]);
      if (line.buffer().indexOf(start, start + line.length(request.meta.rest[i]), (byte) 0) >= 0) {
        return true;
      }
    }
    return false;
  }

  /** Whether some version would refuse the line, and perhaps execute its data block. */
  private static boolean hasTooManyTokens(Request request, int start, ByteBuf out) {
    if (request.meta.line == null
        || request.meta.line.count() < StorageLine.MAX_META_TOKENS - ADDED) {
      return false;
    }
    int tokens = 1;
    for (int i = start; i < out.writerIndex(); i++) {
      tokens += out.getByte(i) == ' ' ? 1 : 0;
    }
    return tokens > StorageLine.MAX_META_TOKENS;
  }

  private static char command(Operation operation) {
    return switch (operation) {
      case GET, TOUCH -> 'g';
      case DELETE -> 'd';
      case INCREMENT, DECREMENT -> 'a';
      default -> 's';
    };
  }

  private static void flags(Request request, ByteBuf out) {
    Operation operation = request.operation;
    switch (operation) {
      case ADD -> {
        if (!request.comparesCas) { // mode E would ignore the cas: with a cas, the item must exist
          out.writeMedium(' ' << 16 | 'M' << 8 | 'E');
        }
      }
      case REPLACE -> out.writeMedium(' ' << 16 | 'M' << 8 | 'R');
      case APPEND -> out.writeMedium(' ' << 16 | 'M' << 8 | 'A');
      case PREPEND -> out.writeMedium(' ' << 16 | 'M' << 8 | 'P');
      case DECREMENT -> out.writeMedium(' ' << 16 | 'M' << 8 | 'D');
      default -> {
        // the mode is the command's default
      }
    }
    if (operation.isStorage() && request.flags != 0) {
      number(out, "F", Integer.toUnsignedLong(request.flags));
    }
    if (operation.isArithmetic()) {
      number(out, "D", request.arithmetic.delta);
    }
    inOrder(request, out);
    if (request.comparesCas) {
      number(out, "C", request.cas);
    }
    ask(request, Request.VALUE, 'v', out);
    ask(request, Request.FLAGS, 'f', out);
    ask(request, Request.CAS, 'c', out);
    ask(request, Request.SIZE, 's', out);
    ask(request, Request.HIT_BEFORE, 'h', out);
    ask(request, Request.LAST_ACCESS, 'l', out);
  }

  /**
   * Appends times to live to report and to set, and flags that only meta has. A server processes
   * them in the order of the line.
   */
  private static void inOrder(Request request, ByteBuf out) {
    TextLine line = request.meta.line;
    int tokens = line == null ? 1 : line.count();
    int rest = 0;
    for (int token = 0; token < tokens; token++) {
      if (token == request.timeToLive.token) {
        exptime(request, out);
      }
      if (token == request.arithmetic.created.token) {
        initial(request, out);
      }
      if (token == request.meta.timeLeft) {
        ask(request, Request.TTL, 't', out);
      }
      if (line != null && rest < request.meta.restLength && token == request.meta.rest[rest]) {
        if (token == request.left.token) {
          left(line.buffer().getByte(line.start(token)), request, out);
        } else {
          out.writeByte(' ');
          Bytes.append(line.buffer(), line.start(token), line.length(token), out);
        }
        rest++;
      }
    }
    if (request.left.isGiven && request.left.token == 0) {
      left((byte) 'T', request, out);
    }
  }

  private static void left(byte letter, Request request, ByteBuf out) {
    out.writeShort(' ' << 8 | letter);
    AsciiNumber.writeSigned(out, Exptime.toText(request.left.exptime));
  }

  private static void exptime(Request request, ByteBuf out) {
    long exptime = Exptime.toText(request.timeToLive.exptime);
    // A touch with 0 means no expiry, which a new item has anyway.
    if (request.timeToLive.isGiven && !(request.operation.isStorage() && exptime == 0)) {
      out.writeShort(' ' << 8 | 'T');
      AsciiNumber.writeSigned(out, exptime);
    }
  }

  private static void initial(Request request, ByteBuf out) {
    if (request.arithmetic.created.isGiven) {
      out.writeShort(' ' << 8 | 'N');
      AsciiNumber.writeSigned(out, Exptime.toText(request.arithmetic.created.exptime));
      number(out, "J", request.arithmetic.initial);
    }
  }

  private static void ask(Request request, int field, char letter, ByteBuf out) {
    if (request.takes(field)) {
      out.writeShort(' ' << 8 | letter);
    }
  }

  private static void number(ByteBuf out, String flag, long value) {
    out.writeByte(' ');
    if (!flag.isEmpty()) {
      out.writeByte(flag.charAt(0));
    }
    AsciiNumber.writeUnsigned(out, value);
  }
}
