package sluice.codecs.memcached.bridge;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;

/** Reads packets of binary replies (memcached's protocol_binary.h). Stateless. */
public final class BinaryReplyReader implements ReplyReader {
  public static final BinaryReplyReader INSTANCE = new BinaryReplyReader();

  private BinaryReplyReader() {}

  @Override
  public long headLength(ByteBuf in, int at, int available, Awaited awaited) {
    if (available < BinaryHeader.LENGTH
        || !isReplyTo(in, at, awaited)
        || BinaryHeader.status(in, at) != Opcode.STATUS_OK
        || awaited.operation.isStorage()) {
      return BinaryHeader.LENGTH;
    }
    return BinaryHeader.LENGTH
        + switch (awaited.operation) {
          case INCREMENT, DECREMENT, VERSION, STATS -> BinaryHeader.bodyLength(in, at);
          default -> BinaryHeader.extrasLength(in, at) + BinaryHeader.keyLength(in, at);
        };
  }

  @Override
  public boolean read(ByteBuf in, int from, int to, Awaited awaited, Reply reply) {
    long body = BinaryHeader.bodyLength(in, from);
    int extras = BinaryHeader.extrasLength(in, from);
    int key = BinaryHeader.keyLength(in, from);
    if (!isReplyTo(in, from, awaited) || body > Integer.MAX_VALUE || key + extras > body) {
      return false;
    }
    reply.clear(status(BinaryHeader.status(in, from), awaited));
    if (reply.status != Status.OK) {
      return true;
    }
    reply.cas = BinaryHeader.cas(in, from);
    int behindHeader = from + BinaryHeader.LENGTH;
    switch (awaited.operation) {
      case GET, TOUCH -> {
        if (extras != 0 && extras != Integer.BYTES) {
          return false;
        }
        reply.flags = extras == 0 ? 0 : in.getInt(behindHeader);
        if (awaited.serverOpcode != Opcode.TOUCH) {
          reply.value((int) body - extras - key);
        }
      }
      case INCREMENT, DECREMENT -> {
        if (body != Long.BYTES || key + extras != 0) {
          return false;
        }
        reply.number = in.getLong(behindHeader);
      }
      case VERSION -> reply.text(in, behindHeader + extras + key, to);
      case STATS -> {
        int name = behindHeader + extras;
        reply.goesOn = key > 0;
        reply.name(name, name + key);
        reply.text(in, name + key, to);
      }
      case SET, ADD, REPLACE -> reply.size = awaited.valueLength;
      default -> {
        // all is said
      }
    }
    return true;
  }

  private static boolean isReplyTo(ByteBuf in, int at, Awaited awaited) {
    return BinaryHeader.magic(in, at) == BinaryHeader.RESPONSE_MAGIC
        && BinaryHeader.opcode(in, at) == awaited.serverOpcode
        && BinaryHeader.opaque(in, at) == awaited.serverOpaque;
  }

  /** What a status means that says less than the text protocol's words do. */
  private static Status status(int status, Awaited awaited) {
    return switch (status) {
      case Opcode.STATUS_OK -> Status.OK;
      case Opcode.STATUS_NOT_FOUND ->
          switch (awaited.operation) {
            case REPLACE -> awaited.comparesCas ? Status.NOT_FOUND : Status.NOT_STORED;
            case STATS -> Status.UNKNOWN_COMMAND;
            default -> Status.NOT_FOUND;
          };
      case Opcode.STATUS_EXISTS ->
          awaited.operation == Operation.ADD && !awaited.comparesCas
              ? Status.NOT_STORED
              : Status.EXISTS;
      case Opcode.STATUS_TOO_LARGE -> Status.TOO_LARGE;
      case Opcode.STATUS_INVALID_ARGUMENTS -> Status.CLIENT_ERROR;
      case Opcode.STATUS_NOT_STORED -> Status.NOT_STORED;
      case Opcode.STATUS_NON_NUMERIC -> Status.NON_NUMERIC;
      case Opcode.STATUS_AUTH_ERROR -> Status.NOT_ALLOWED;
      case Opcode.STATUS_UNKNOWN_COMMAND -> Status.UNKNOWN_COMMAND;
      case Opcode.STATUS_OUT_OF_MEMORY -> Status.OUT_OF_MEMORY;
      default -> Status.SERVER_ERROR;
    };
  }
}
