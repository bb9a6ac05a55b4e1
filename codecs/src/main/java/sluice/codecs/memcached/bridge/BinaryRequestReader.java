package sluice.codecs.memcached.bridge;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;

/**
 * Reader of binary request packets whose lengths were checked for their opcodes (memcached's
 * protocol_binary.h). Stateless.
 */
public final class BinaryRequestReader {
  /** Expiry of a counter that must not be created. */
  static final int DO_NOT_CREATE = 0xFFFFFFFF;

  private BinaryRequestReader() {}

  /**
   * Reads the head at an index: header, extras and key. The server key is the client's key until
   * the caller sets another. Borrows in.
   */
  public static void read(ByteBuf in, int at, Request request) {
    int opcode = BinaryHeader.opcode(in, at);
    int extras = at + BinaryHeader.LENGTH;
    long cas = BinaryHeader.cas(in, at);
    request.clear(PacketOperations.operation(Opcode.loud(opcode)));
    switch (request.operation) {
      case GET -> {
        request.wants = Request.VALUE | Request.FLAGS;
        request.likes = Request.CAS;
        readExptime(in, at, request);
        int loud = Opcode.loud(opcode);
        request.returnsKey = loud == Opcode.GETK || loud == Opcode.GATK;
      }
      case TOUCH -> {
        request.likes = Request.FLAGS | Request.CAS;
        readExptime(in, at, request);
      }
      case SET, ADD, REPLACE -> {
        request.flags = in.getInt(extras);
        request.timeToLive.set(Exptime.ofBinary(in.getInt(extras + 4)));
        store(in, at, cas, request);
      }
      case APPEND, PREPEND -> store(in, at, cas, request);
      case DELETE -> compare(cas, request);
      case INCREMENT, DECREMENT -> {
        request.wants = Request.VALUE;
        request.likes = Request.CAS;
        request.arithmetic.delta = in.getLong(extras);
        request.arithmetic.initial = in.getLong(extras + 8);
        int exptime = in.getInt(extras + 16);
        if (exptime != DO_NOT_CREATE) {
          request.arithmetic.created.set(Exptime.ofBinary(exptime));
        }
        compare(cas, request);
      }
      case FLUSH -> readExptime(in, at, request);
      case VERBOSITY -> request.arithmetic.delta = in.getUnsignedInt(extras);
      case VERSION, STATS -> {
        // nothing besides a key
      }
    }
    request.opcode = opcode;
    request.opaque = BinaryHeader.opaque(in, at);
    int key = BinaryHeader.keyStart(in, at);
    request.key.set(in, key, key + BinaryHeader.keyLength(in, at));
    request.clientKey.set(request.key);
  }

  private static void readExptime(ByteBuf in, int at, Request request) {
    if (BinaryHeader.extrasLength(in, at) == Integer.BYTES) {
      request.timeToLive.set(Exptime.ofBinary(in.getInt(at + BinaryHeader.LENGTH)));
    }
  }

  private static void store(ByteBuf in, int at, long cas, Request request) {
    request.likes = Request.CAS;
    request.valueLength =
        (int) BinaryHeader.bodyLength(in, at)
            - BinaryHeader.keyLength(in, at)
            - BinaryHeader.extrasLength(in, at);
    compare(cas, request);
  }

  private static void compare(long cas, Request request) {
    request.cas = cas;
    request.comparesCas = cas != 0;
  }
}
