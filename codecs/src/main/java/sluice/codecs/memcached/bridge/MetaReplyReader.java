package sluice.codecs.memcached.bridge;

import static sluice.codecs.memcached.text.TextReply.startsWith;
import static sluice.codecs.memcached.text.TextReply.tokenEnd;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.AsciiNumber;
import sluice.codecs.memcached.text.TextReply;

/** Reader of meta reply lines (memcached's protocol.txt, "Meta Commands"). Stateless. */
public final class MetaReplyReader implements ReplyReader {
  public static final MetaReplyReader INSTANCE = new MetaReplyReader();

  private MetaReplyReader() {}

  @Override
  public boolean read(ByteBuf in, int from, int to, Awaited awaited, Reply reply) {
    if (ErrorLine.read(in, from, to, reply)) {
      return true; // an error line repeats no opaque
    }
    reply.clear(Status.OK);
    return awaited.operation.isKeyless()
        ? TextReplyReader.keyless(in, from, to, awaited, reply)
        : status(in, from, to, awaited, reply);
  }

  private static boolean status(ByteBuf in, int from, int to, Awaited awaited, Reply reply) {
    if (to - from < 2 || (to - from > 2 && in.getByte(from + 2) != ' ')) {
      return false;
    }
    int flags = from + 2;
    if (startsWith(in, from, to, "VA")) {
      flags = tokenEnd(in, Math.min(from + 3, to), to);
      int size = TextReply.size(in, Math.min(from + 3, flags), flags);
      if (size < 0 || !hasValue(awaited.operation)) {
        return false;
      }
      reply.value(size);
    } else if (startsWith(in, from, to, "EN") || startsWith(in, from, to, "NF")) {
      reply.status = Status.NOT_FOUND;
    } else if (startsWith(in, from, to, "NS")) {
      reply.status = Status.NOT_STORED;
    } else if (startsWith(in, from, to, "EX")) {
      reply.status = Status.EXISTS;
    } else if (!startsWith(in, from, to, "HD") || (awaited.wantsValue() && !awaited.mayLackValue)) {
      return false; // also for a hit without the requested value
    }
    return flags(in, flags, to, awaited, reply);
  }

  private static boolean hasValue(Operation operation) {
    return operation == Operation.GET || operation == Operation.TOUCH || operation.isArithmetic();
  }

  private static boolean flags(ByteBuf in, int from, int to, Awaited awaited, Reply reply) {
    boolean matched = awaited.serverOpaque < 0;
    for (int at = from; at < to; at = tokenEnd(in, at + 1, to)) {
      int start = at + 1;
      int end = tokenEnd(in, start, to);
      if (start == end) {
        continue;
      }
      byte letter = in.getByte(start);
      switch (letter) {
        case 'O' -> {
          if (!AsciiNumber.isUnsigned(in, start + 1, end)
              || AsciiNumber.unsigned(in, start + 1, end) != awaited.serverOpaque) {
            return false;
          }
          matched = true;
        }
        case 'W', 'X', 'Z' -> reply.state(letter);
        case 't' -> reply.ttl = signed(in, start + 1, end);
        case 'f', 'c', 's', 'h', 'l' -> {
          if (!AsciiNumber.isUnsigned(in, start + 1, end)) {
            return false;
          }
          field(letter, AsciiNumber.unsigned(in, start + 1, end), reply);
        }
        default -> {
          // has no meaning here
        }
      }
    }
    return matched;
  }

  private static long signed(ByteBuf in, int from, int to) {
    return AsciiNumber.isSigned(in, from, to) ? AsciiNumber.signed(in, from, to) : -1;
  }

  private static void field(byte letter, long value, Reply reply) {
    switch (letter) {
      case 'f' -> reply.flags = (int) value;
      case 'c' -> reply.cas = value;
      case 's' -> reply.size = value;
      case 'h' -> reply.hitBefore = value != 0;
      default -> reply.lastAccess = value;
    }
  }

  @Override
  public boolean readNumber(ByteBuf in, int from, int to, Reply reply) {
    if (to - from != reply.valueLength || !AsciiNumber.isUnsigned(in, from, to)) {
      return false;
    }
    reply.number = AsciiNumber.unsigned(in, from, to);
    return true;
  }
}
