package sluice.codecs.memcached.bridge;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.AsciiNumber;

/**
 * Writer of meta replies (memcached's protocol.txt, "Meta Commands"). Flags come in the order of
 * the request, followed by the states that only a meta server reports.
 */
public final class MetaReplyWriter implements ReplyWriter {
  public static final MetaReplyWriter INSTANCE = new MetaReplyWriter();

  private MetaReplyWriter() {}

  @Override
  public void write(Reply reply, Awaited awaited, ByteBuf out) {
    if (reply.status.isError()) {
      TextReplyWriter.writeError(reply, out);
      return;
    }
    awaited.toldStates = reply.stateCount > 0;
    boolean done = reply.status == Status.OK;
    boolean number = done && awaited.operation.isArithmetic() && awaited.wantsValue();
    if (number) {
      code(out, "VA");
      out.writeByte(' ');
      AsciiNumber.writeUnsigned(out, digits(reply.number));
    } else if (done && awaited.wantsValue() && reply.valueLength >= 0) {
      code(out, "VA");
      out.writeByte(' ');
      AsciiNumber.writeUnsigned(out, reply.valueLength);
    } else {
      code(out, code(reply.status, awaited.operation));
    }
    for (int i = 0; i < awaited.echoed.orderLength; i++) {
      flag(awaited.echoed.order[i], reply, awaited, done, out);
    }
    for (int i = 0; i < reply.stateCount; i++) {
      out.writeShort(' ' << 8 | reply.states[i]);
    }
    endLine(out);
    if (number) {
      AsciiNumber.writeUnsigned(out, reply.number);
      endLine(out);
    }
  }

  private static String code(Status status, Operation operation) {
    boolean read = operation == Operation.GET || operation == Operation.TOUCH;
    return switch (status) {
      case OK -> "HD";
      case NOT_STORED -> "NS";
      case EXISTS -> "EX";
      default -> read ? "EN" : "NF";
    };
  }

  private static void flag(byte letter, Reply reply, Awaited awaited, boolean done, ByteBuf out) {
    switch (letter) {
      case 'O' -> {
        out.writeShort(' ' << 8 | 'O');
        awaited.echoed.writeMetaOpaque(out);
      }
      case 'k' -> {
        out.writeShort(' ' << 8 | 'k');
        awaited.echoed.writeKey(out);
        if (awaited.echoed.isBase64) {
          out.writeShort(' ' << 8 | 'b');
        }
      }
      case 'c' -> {
        if (done || awaited.operation.isStorage()) {
          number(letter, done ? reply.cas : 0, out);
        }
      }
      case 's' -> {
        if ((done || awaited.operation.isStorage()) && reply.size >= 0) {
          number(letter, reply.size, out); // also for a value that was not stored
        }
      }
      default -> {
        if (done) {
          ofItem(letter, reply, out);
        }
      }
    }
  }

  private static void ofItem(byte letter, Reply reply, ByteBuf out) {
    switch (letter) {
      case 'f' -> number(letter, Integer.toUnsignedLong(reply.flags), out);
      case 't' -> {
        out.writeShort(' ' << 8 | letter);
        AsciiNumber.writeSigned(out, reply.ttl);
      }
      case 'h' -> number(letter, reply.hitBefore ? 1 : 0, out);
      default -> number(letter, reply.lastAccess, out);
    }
  }

  private static int digits(long number) {
    int digits = 1;
    for (long rest = Long.divideUnsigned(number, 10); rest != 0; rest /= 10) {
      digits++;
    }
    return digits;
  }

  private static void number(byte letter, long value, ByteBuf out) {
    out.writeShort(' ' << 8 | letter);
    AsciiNumber.writeUnsigned(out, value);
  }

  private static void code(ByteBuf out, String code) {
    out.writeByte(code.charAt(0)).writeByte(code.charAt(1));
  }

  @Override
  public void endValue(Awaited awaited, ByteBuf out) {
    endLine(out);
  }

  private static void endLine(ByteBuf out) {
    out.writeShort('\r' << 8 | '\n');
  }
}
