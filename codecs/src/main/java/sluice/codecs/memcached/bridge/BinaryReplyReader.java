package sluice.codecs.memcached.bridge;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;

/** Reader of binary reply packets (memcached's protocol_binary.h). Stateless. */
public final class BinaryReplyReader extends PacketReplyReader {
  public static final BinaryReplyReader INSTANCE = new BinaryReplyReader();

  private BinaryReplyReader() {}

  @Override
  boolean hasItsExtras(ByteBuf in, int at, Awaited awaited) {
    int extras = BinaryHeader.extrasLength(in, at);
    return BinaryHeader.status(in, at) != Opcode.STATUS_OK
        || !isRead(awaited)
        || extras == 0
        || extras == Integer.BYTES;
  }

  private static boolean isRead(Awaited awaited) {
    return awaited.operation == Operation.GET || awaited.operation == Operation.TOUCH;
  }

  @Override
  void item(ByteBuf in, int at, Awaited awaited, Reply reply) {
    reply.cas = BinaryHeader.cas(in, at);
    if (isRead(awaited) && BinaryHeader.extrasLength(in, at) > 0) {
      reply.flags = in.getInt(at + BinaryHeader.LENGTH);
    }
  }

  /** The meaning of a status that is less specific than the text protocol's words. */
  @Override
  Status failure(int status, Awaited awaited) {
    return switch (status) {
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
