package sluice.codecs.memcached.bridge;

import static sluice.codecs.memcached.text.TextReply.is;
import static sluice.codecs.memcached.text.TextReply.isValue;
import static sluice.codecs.memcached.text.TextReply.startsWith;
import static sluice.codecs.memcached.text.TextReply.tokenEnd;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.AsciiNumber;
import sluice.codecs.buffer.KeyHash;
import sluice.codecs.memcached.text.TextReply;

/** Reader of classic text reply lines (memcached's protocol.txt, "Commands"). Stateless. */
public final class TextReplyReader implements ReplyReader {
  public static final TextReplyReader INSTANCE = new TextReplyReader();

  private TextReplyReader() {}

  @Override
  public boolean read(ByteBuf in, int from, int to, Awaited awaited, Reply reply) {
    if (ErrorLine.read(in, from, to, reply)) {
      return !awaited.seenValue;
    }
    reply.clear(Status.OK);
    return switch (awaited.operation) {
      case GET -> value(in, from, to, awaited, reply);
      case TOUCH ->
          is(in, from, to, "TOUCHED")
              || notFound(in, from, to, reply)
              || value(in, from, to, awaited, reply);
      case DELETE -> is(in, from, to, "DELETED") || notFound(in, from, to, reply);
      case INCREMENT, DECREMENT -> number(in, from, to, reply) || notFound(in, from, to, reply);
      case FLUSH, VERBOSITY, VERSION, STATS -> keyless(in, from, to, awaited, reply);
      default -> stored(in, from, to, awaited, reply);
    };
  }

  /** Reads a line without a key, in either text dialect. */
  static boolean keyless(ByteBuf in, int from, int to, Awaited awaited, Reply reply) {
    switch (awaited.operation) {
      case FLUSH, VERBOSITY -> {
        return is(in, from, to, "OK");
      }
      case VERSION -> {
        reply.text.set(in, Math.min(from + 8, to), to);
        return startsWith(in, from, to, "VERSION ");
      }
      default -> {
        return statistic(in, from, to, reply);
      }
    }
  }

  private static boolean statistic(ByteBuf in, int from, int to, Reply reply) {
    if (is(in, from, to, "END") || is(in, from, to, "RESET") || is(in, from, to, "OK")) {
      return true;
    }
    boolean known =
        startsWith(in, from, to, "STAT ")
            || startsWith(in, from, to, "PREFIX ")
            || startsWith(in, from, to, "ITEM ");
    if (!known) {
      return false;
    }
    int nameFrom = tokenEnd(in, from, to) + 1;
    int nameTo = tokenEnd(in, nameFrom, to);
    reply.goesOn = true;
    reply.text.set(in, Math.min(nameTo + 1, to), to);
    // A packet without a name would end the statistics: an empty name becomes a space.
    reply.name.set(in, nameTo > nameFrom ? nameFrom : nameFrom - 1, nameTo);
    return true;
  }

  private static boolean notFound(ByteBuf in, int from, int to, Reply reply) {
    if (!is(in, from, to, "NOT_FOUND")) {
      return false;
    }
    reply.status = Status.NOT_FOUND;
    return true;
  }

  private static boolean stored(ByteBuf in, int from, int to, Awaited awaited, Reply reply) {
    reply.size = awaited.valueLength;
    if (is(in, from, to, "STORED")) {
      return true;
    } else if (is(in, from, to, "NOT_STORED")) {
      reply.status = Status.NOT_STORED;
    } else if (is(in, from, to, "EXISTS")) {
      reply.status = Status.EXISTS;
    } else {
      return notFound(in, from, to, reply);
    }
    return true;
  }

  private static boolean number(ByteBuf in, int from, int to, Reply reply) {
    if (!AsciiNumber.isUnsigned(in, from, to)) {
      return false;
    }
    reply.number = AsciiNumber.unsigned(in, from, to);
    return true;
  }

  /**
   * Reads {@code VALUE key flags bytes [cas]}, and the {@code END} after the value or in its place.
   */
  private static boolean value(ByteBuf in, int from, int to, Awaited awaited, Reply reply) {
    if (is(in, from, to, "END")) {
      reply.status = awaited.seenValue ? Status.OK : Status.NOT_FOUND;
      return true;
    }
    if (!isValue(in, from, to) || awaited.seenValue) {
      return false;
    }
    int keyFrom = from + 6;
    int keyTo = tokenEnd(in, keyFrom, to);
    int flagsFrom = Math.min(keyTo + 1, to);
    int flagsTo = tokenEnd(in, flagsFrom, to);
    int size = TextReply.valueSize(in, keyTo, to);
    if (size < 0
        || KeyHash.of(in, keyFrom, keyTo) != awaited.serverKey
        || !AsciiNumber.isUnsigned(in, flagsFrom, flagsTo)) {
      return false;
    }
    reply.flags = (int) AsciiNumber.unsigned(in, flagsFrom, flagsTo);
    int sizeTo = tokenEnd(in, flagsTo + 1, to);
    if (sizeTo < to) {
      if (!AsciiNumber.isUnsigned(in, sizeTo + 1, to)) {
        return false;
      }
      reply.cas = AsciiNumber.unsigned(in, sizeTo + 1, to);
    }
    reply.value(size);
    reply.goesOn = true;
    awaited.seenValue = true;
    return true;
  }
}
