package sluice.codecs.memcached.bridge;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;

/**
 * Writer of requests as binary packets (memcached's protocol_binary.h), always in their answering
 * form.
 */
public final class BinaryRequestWriter implements RequestWriter {
  public static final BinaryRequestWriter INSTANCE = new BinaryRequestWriter();

  private static final String KEY = "a key that is empty or longer than 250 bytes";
  private static final String FIELDS = "some of the requested item fields in the binary protocol";
  private static final String CAS_ZERO =
      "cas 0 in the binary protocol, where it means no comparison";
  private static final String VERBOSITY = "verbosity in the binary protocol";
  private static final String EXPIRY = "the time to live of a counter in the binary protocol";

  private static final int OF_READS = Request.VALUE | Request.FLAGS | Request.CAS | Request.SIZE;

  private BinaryRequestWriter() {}

  @Override
  public boolean endsValueWithLine() {
    return false;
  }

  @Override
  public ReplyReader replies() {
    return BinaryReplyReader.INSTANCE;
  }

  @Override
  public @Nullable String write(Request request, int opaque, Awaited awaited, ByteBuf out) {
    String reason = reason(request);
    if (reason != null) {
      return reason;
    }
    int opcode = opcode(request);
    awaited.serverOpcode = opcode;
    awaited.serverOpaque(opaque);
    int start = out.writerIndex();
    out.writeByte(BinaryHeader.REQUEST_MAGIC).writeByte(opcode).writeZero(BinaryHeader.LENGTH - 2);
    extras(request, out);
    int extras = out.writerIndex() - start - BinaryHeader.LENGTH;
    if (request.key.length() > 0) {
      request.key.appendTo(out);
    }
    int value = request.operation.isStorage() ? request.valueLength : 0;
    out.setShort(start + 2, request.key.length());
    out.setByte(start + 4, extras);
    out.setInt(start + 8, extras + request.key.length() + value);
    BinaryHeader.setOpaque(out, start, opaque);
    out.setLong(start + 16, request.comparesCas ? request.cas : 0);
    return null;
  }

  private static @Nullable String reason(Request request) {
    if (!request.operation.isKeyless()
        && (request.key.length() == 0 || request.key.length() > KeyBytes.MOST)) {
      return KEY;
    }
    if (request.meta.hasNeeded()) {
      return MetaWords.reason(request.meta.firstNeeded());
    }
    if (request.comparesCas && request.cas == 0) {
      return CAS_ZERO;
    }
    if (request.operation == Operation.VERBOSITY) {
      // protocol_binary.h has an opcode for it, but memcached does not implement it
      return VERBOSITY;
    }
    int told =
        switch (request.operation) {
          case GET, TOUCH -> OF_READS;
          case SET, ADD, REPLACE -> Request.CAS | Request.SIZE;
          case APPEND, PREPEND -> Request.CAS;
          case INCREMENT, DECREMENT -> Request.VALUE | Request.CAS;
          default -> 0;
        };
    if (request.wants(~told)) {
      return FIELDS;
    }
    return request.operation.isArithmetic() && request.timeToLive.isGiven ? EXPIRY : null;
  }

  private static int opcode(Request request) {
    return switch (request.operation) {
      case GET -> request.timeToLive.isGiven ? Opcode.GAT : Opcode.GET;
      case TOUCH ->
          request.wants(Request.SIZE) || request.takes(Request.VALUE) ? Opcode.GAT : Opcode.TOUCH;
      default -> PacketOperations.opcode(request.operation);
    };
  }

  private static void extras(Request request, ByteBuf out) {
    switch (request.operation) {
      case GET, TOUCH, FLUSH -> {
        if (request.timeToLive.isGiven) {
          out.writeInt(Exptime.toBinary(request.timeToLive.exptime));
        }
      }
      case SET, ADD, REPLACE ->
          out.writeInt(request.flags).writeInt(Exptime.toBinary(request.timeToLive.exptime));
      case INCREMENT, DECREMENT -> {
        out.writeLong(request.arithmetic.delta).writeLong(request.arithmetic.initial);
        // The expiry of a counter that lives for ever must not be the value that forbids its
        // creation.
        int exptime = Exptime.toBinary(request.arithmetic.created.exptime);
        out.writeInt(
            !request.arithmetic.created.isGiven
                ? BinaryRequestReader.DO_NOT_CREATE
                : exptime == BinaryRequestReader.DO_NOT_CREATE ? 0 : exptime);
      }
      default -> {
        // no extras
      }
    }
  }
}
