package sluice.codecs.memcached.bridge;

import io.netty.buffer.ByteBuf;
import sluice.codecs.ignite.IgniteResponse;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;

/**
 * Reader of reply packets in Apache Ignite's dialect ({@code GridTcpMemcachedNioListener}). Its
 * single failure status is less specific than memcached's: the command determines the meaning. The
 * flags of an item are the type of its value. Stateless.
 */
public final class IgniteReplyReader extends PacketReplyReader {
  public static final IgniteReplyReader INSTANCE = new IgniteReplyReader();

  private static final int VALUE_TYPE = 0xFFFF;

  private IgniteReplyReader() {}

  @Override
  boolean hasItsExtras(ByteBuf in, int at, Awaited awaited) {
    int types = awaited.operation == Operation.GET ? Integer.BYTES : 0; // hit or miss
    return BinaryHeader.extrasLength(in, at) == types;
  }

  @Override
  void item(ByteBuf in, int at, Awaited awaited, Reply reply) {
    if (awaited.operation == Operation.GET) {
      reply.flags = in.getInt(at + BinaryHeader.LENGTH) & VALUE_TYPE;
    }
  }

  @Override
  Status failure(int status, Awaited awaited) {
    if (status == IgniteResponse.STATUS_MISS) {
      return awaited.operation == Operation.GET ? Status.NOT_FOUND : Status.SERVER_ERROR;
    }
    if (status != IgniteResponse.STATUS_FAILURE) {
      return Status.SERVER_ERROR;
    }
    return switch (awaited.operation) {
      case ADD, REPLACE, APPEND, PREPEND -> Status.NOT_STORED;
      case DELETE -> Status.NOT_FOUND;
      // A store of an expired item was sent as a delete; a miss of that delete is a success.
      case SET -> awaited.serverOpcode == Opcode.DELETE ? Status.OK : Status.SERVER_ERROR;
      default -> Status.SERVER_ERROR;
    };
  }
}
