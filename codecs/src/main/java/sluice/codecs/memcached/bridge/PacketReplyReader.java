package sluice.codecs.memcached.bridge;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;

/**
 * Common part of the readers of reply packets, of the binary protocol (memcached's
 * protocol_binary.h) and of its dialects. Stateless.
 */
abstract class PacketReplyReader implements ReplyReader {
  /**
   * Whether a reply of this status, whose header is at an index, has extras of the right length.
   */
  abstract boolean hasItsExtras(ByteBuf in, int at, Awaited awaited);

  /** What a status other than {@link Opcode#STATUS_OK} means for the client. */
  abstract Status failure(int status, Awaited awaited);

  /** Reads what the extras and the header at an index state of an item, or of a change. */
  abstract void item(ByteBuf in, int at, Awaited awaited, Reply reply);

  @Override
  public final long headLength(ByteBuf in, int at, int available, Awaited awaited) {
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
  public final boolean read(ByteBuf in, int from, int to, Awaited awaited, Reply reply) {
    long body = BinaryHeader.bodyLength(in, from);
    int extras = BinaryHeader.extrasLength(in, from);
    int key = BinaryHeader.keyLength(in, from);
    if (!isReplyTo(in, from, awaited)
        || body > Integer.MAX_VALUE
        || key + extras > body
        || !hasItsExtras(in, from, awaited)) {
      return false;
    }
    int status = BinaryHeader.status(in, from);
    reply.clear(status == Opcode.STATUS_OK ? Status.OK : failure(status, awaited));
    if (reply.status != Status.OK) {
      boolean refused = awaited.operation.isStorage() && !reply.status.isError();
      reply.size = refused ? awaited.valueLength : reply.size; // the length of the client's value
      return true;
    }
    item(in, from, awaited, reply);
    int name = from + BinaryHeader.LENGTH + extras;
    switch (awaited.operation) {
      case GET, TOUCH -> {
        if (awaited.serverOpcode != Opcode.TOUCH) {
          reply.value((int) body - extras - key);
        }
      }
      case INCREMENT, DECREMENT -> {
        if (body != Long.BYTES || key + extras != 0) {
          return false;
        }
        reply.number = in.getLong(name);
      }
      case VERSION -> reply.text.set(in, name + key, to);
      case STATS -> {
        reply.goesOn = key > 0;
        reply.name.set(in, name, name + key);
        reply.text.set(in, name + key, to);
      }
      case SET, ADD, REPLACE -> reply.size = awaited.valueLength;
      default -> {
        // nothing more to read
      }
    }
    return true;
  }

  private static boolean isReplyTo(ByteBuf in, int at, Awaited awaited) {
    return BinaryHeader.magic(in, at) == BinaryHeader.RESPONSE_MAGIC
        && BinaryHeader.opcode(in, at) == awaited.serverOpcode
        && BinaryHeader.opaque(in, at) == awaited.serverOpaque;
  }
}
