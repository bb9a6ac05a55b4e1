package sluice.codecs.memcached.bridge;

import io.netty.buffer.ByteBuf;
import sluice.codecs.ignite.IgniteResponse;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;

/**
 * Reads packets of Apache Ignite's dialect ({@code GridTcpMemcachedNioListener}), whose one status
 * for what was not done says less than memcached's: the command tells what it means. The flags of
 * an item are the type of its value. Stateless.
 */
public final class IgniteReplyReader implements ReplyReader {
  public static final IgniteReplyReader INSTANCE = new IgniteReplyReader();

  private static final int VALUE_TYPE = 0xFFFF;

  private IgniteReplyReader() {}

  @Override
  public long headLength(ByteBuf in, int at, int available, Awaited awaited) {
    if (available < BinaryHeader.LENGTH || !isReplyTo(in, at, awaited)) {
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
    if (!isReplyTo(in, from, awaited)
        || body > Integer.MAX_VALUE
        || key + extras > body
        || extras != (awaited.operation == Operation.GET ? Integer.BYTES : 0)) {
      return false;
    }
    reply.clear(status(BinaryHeader.status(in, from), awaited));
    if (reply.status != Status.OK) {
      return true;
    }
    int name = from + BinaryHeader.LENGTH;
    switch (awaited.operation) {
      case GET -> {
        reply.flags = in.getInt(name) & VALUE_TYPE;
        reply.value((int) body - extras - key);
      }
      case INCREMENT, DECREMENT -> {
        if (body != Long.BYTES || key != 0) {
          return false;
        }
        reply.number = in.getLong(name);
      }
      case VERSION -> reply.text(in, name + key, to);
      case STATS -> {
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

  private static Status status(int status, Awaited awaited) {
    if (status == IgniteResponse.STATUS_OK) {
      return Status.OK;
    }
    if (status == IgniteResponse.STATUS_MISS) {
      return awaited.operation == Operation.GET ? Status.NOT_FOUND : Status.SERVER_ERROR;
    }
    if (status != IgniteResponse.STATUS_FAILURE) {
      return Status.SERVER_ERROR;
    }
    return switch (awaited.operation) {
      case ADD, REPLACE, APPEND, PREPEND -> Status.NOT_STORED;
      case DELETE -> Status.NOT_FOUND;
      // What has expired when it is stored is deleted instead, and need not have been there.
      case SET -> awaited.serverOpcode == Opcode.DELETE ? Status.OK : Status.SERVER_ERROR;
      default -> Status.SERVER_ERROR;
    };
  }
}
