package sluice.codecs.memcached.bridge;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.AsciiNumber;
import sluice.codecs.buffer.KeyHash;
import sluice.codecs.memcached.text.KeyedLine;

/**
 * Writer of requests as classic text commands (memcached's protocol.txt, "Commands"). It never
 * writes noreply, because a server may reply anyway.
 *
 * <p>Servers that are not memcached may close a connection, which other clients use, because of a
 * request that they do not know. They get only requests that all of them accept: no key with a
 * control character, no negative time to live of a stored item, and no gat.
 */
public final class TextRequestWriter implements RequestWriter {
  public static final TextRequestWriter INSTANCE = new TextRequestWriter(false);

  /** For servers that are not memcached. */
  public static final TextRequestWriter FOREIGN = new TextRequestWriter(true);

  private static final String KEY = "this key in classic text";
  private static final String CAS_OF_NEW = "the cas unique of a change in classic text";
  private static final String COMPARE = "this command with a cas in classic text";
  private static final String CREATE = "a counter with an initial value in classic text";
  private static final String EXPIRY = "the time to live of a counter in classic text";
  private static final String FIELDS = "some of the requested item fields in classic text";
  private static final String TOUCHED = "gat with a server that is not memcached";

  private static final int OF_READS = Request.VALUE | Request.FLAGS | Request.CAS | Request.SIZE;

  private final boolean foreign;

  private TextRequestWriter(boolean foreign) {
    this.foreign = foreign;
  }

  @Override
  public boolean endsValueWithLine() {
    return true;
  }

  @Override
  public ReplyReader replies() {
    return TextReplyReader.INSTANCE;
  }

  @Override
  public @Nullable String write(Request request, int opaque, Awaited awaited, ByteBuf out) {
    if (request.operation.isKeyless()) {
      return KeylessLineWriter.write(request, out);
    }
    String reason = reason(request);
    if (reason != null) {
      return reason;
    }
    awaited.serverKey = KeyHash.of(request.key.buffer, request.key.from, request.key.to);
    switch (request.operation) {
      case GET, TOUCH -> read(request, out);
      case DELETE -> {
        word(out, "delete ", request);
        KeyedLine.writeBehindDeleted(out.writerIndex() - request.key.length(), out);
      }
      case INCREMENT, DECREMENT -> {
        word(out, request.operation == Operation.INCREMENT ? "incr " : "decr ", request);
        number(out, request.arithmetic.delta);
      }
      default -> store(request, out);
    }
    out.writeShort('\r' << 8 | '\n');
    return null;
  }

  /** The reason why the request cannot be expressed, or null. */
  private @Nullable String reason(Request request) {
    if (request.key.length() == 0
        || request.key.length() > KeyBytes.MOST
        || (foreign ? KeyBytes.wantBase64(request.key) : KeyBytes.breakLine(request.key))) {
      return KEY;
    }
    if (request.meta.hasNeeded()) {
      return MetaWords.reason(request.meta.firstNeeded());
    }
    return switch (request.operation) {
      case GET, TOUCH ->
          request.wants(~OF_READS) ? FIELDS : foreign && isGat(request) ? TOUCHED : null;
      case APPEND, PREPEND ->
          request.comparesCas
              ? COMPARE
              : request.wants(Request.CAS) ? CAS_OF_NEW : request.wants != 0 ? FIELDS : null;
      case DELETE -> request.comparesCas ? COMPARE : isRefusedDelete(request) ? KEY : null;
      case INCREMENT, DECREMENT -> ofArithmetic(request);
      default ->
          request.wants(Request.CAS) ? CAS_OF_NEW : request.wants(~Request.SIZE) ? FIELDS : null;
    };
  }

  /** Whether it would be a delete with a 0 after its key. */
  private boolean isRefusedDelete(Request request) {
    return foreign && KeyedLine.silences(request.key.buffer, request.key.from, request.key.to);
  }

  private static boolean isGat(Request request) {
    return request.timeToLive.isGiven && !isTouch(request);
  }

  /** Whether nothing is asked of the item. */
  private static boolean isTouch(Request request) {
    return request.operation == Operation.TOUCH
        && !request.wants(Request.FLAGS | Request.CAS | Request.SIZE);
  }

  private static @Nullable String ofArithmetic(Request request) {
    if (request.comparesCas) {
      return COMPARE;
    }
    if (request.arithmetic.created.isGiven) {
      return CREATE;
    }
    if (request.timeToLive.isGiven) {
      return EXPIRY;
    }
    return request.wants(Request.CAS) ? CAS_OF_NEW : request.wants(~Request.VALUE) ? FIELDS : null;
  }

  private static void read(Request request, ByteBuf out) {
    if (isTouch(request)) {
      word(out, "touch ", request);
      exptime(out, request.timeToLive.exptime);
      return;
    }
    boolean cas = request.takes(Request.CAS);
    if (request.timeToLive.isGiven) {
      out.writeCharSequence(cas ? "gats" : "gat", US_ASCII);
      exptime(out, request.timeToLive.exptime);
      word(out, " ", request);
    } else {
      word(out, cas ? "gets " : "get ", request);
    }
  }

  private void store(Request request, ByteBuf out) {
    if (request.comparesCas) {
      // Also for add and replace: with a cas to compare, the item must exist.
      word(out, "cas ", request);
    } else {
      word(
          out,
          switch (request.operation) {
            case ADD -> "add ";
            case REPLACE -> "replace ";
            case APPEND -> "append ";
            case PREPEND -> "prepend ";
            default -> "set ";
          },
          request);
    }
    number(out, Integer.toUnsignedLong(request.flags));
    long exptime = request.timeToLive.exptime;
    exptime(out, foreign && exptime < 0 ? Exptime.EXPIRED : exptime);
    number(out, request.valueLength);
    if (request.comparesCas) {
      number(out, request.cas);
    }
  }

  private static void word(ByteBuf out, String word, Request request) {
    out.writeCharSequence(word, US_ASCII);
    request.key.appendTo(out);
  }

  private static void number(ByteBuf out, long value) {
    out.writeByte(' ');
    AsciiNumber.writeUnsigned(out, value);
  }

  private static void exptime(ByteBuf out, long exptime) {
    out.writeByte(' ');
    AsciiNumber.writeSigned(out, Exptime.toText(exptime));
  }
}
