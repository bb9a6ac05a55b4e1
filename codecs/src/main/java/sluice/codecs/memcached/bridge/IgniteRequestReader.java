package sluice.codecs.memcached.bridge;

import io.netty.buffer.ByteBuf;
import sluice.codecs.ignite.IgniteRequest;
import sluice.codecs.memcached.binary.Opcode;

/**
 * Reader of request packets in Apache Ignite's dialect ({@code GridTcpMemcachedNioListener}). Types
 * become flags, milliseconds become seconds, and no opcode is quiet. Stateless.
 */
public final class IgniteRequestReader {
  private static final int MILLIS = 1000;

  private IgniteRequestReader() {}

  /**
   * Reads a request about one item. The server key is the client's key until the caller sets
   * another. Borrows the view's buffer.
   */
  public static void read(ByteBuf in, IgniteRequest view, Request request) {
    int loud = Opcode.loud(view.opcode());
    request.clear(PacketOperations.operation(loud));
    switch (view.operation()) {
      case GET -> {
        request.wants = Request.VALUE | Request.FLAGS;
        request.returnsKey = loud == Opcode.GETK;
      }
      case STORE -> {
        request.flags = view.flags();
        request.timeToLive.set(seconds(view.expiryMillis()));
        request.valueLength = view.valueLength();
      }
      case CONCATENATE -> request.valueLength = view.valueLength();
      case REMOVE -> {
        // nothing besides the key
      }
      case COUNT -> count(request.operation == Operation.INCREMENT, view, request);
      default -> throw new IllegalArgumentException(view.operation() + " is about no item");
    }
    request.opcode = view.opcode();
    request.opaque = view.opaque();
    request.key.set(in, view.keyIndex(), view.keyIndex() + view.keyLength());
    request.clientKey.set(request.key);
  }

  /** A node applies the delta to the initial value even in the first count. */
  private static void count(boolean up, IgniteRequest view, Request request) {
    request.wants = Request.VALUE;
    request.arithmetic.delta = view.delta();
    long first = up ? view.initial() + view.delta() : view.initial() - view.delta();
    request.arithmetic.initial = up ? first : Math.max(0, first); // memcached counts down to 0
    request.arithmetic.created.set(0);
  }

  /** Rounds up to a whole second; a negative time has expired. */
  private static long seconds(int millis) {
    return millis < 0 ? -1 : ((long) millis + MILLIS - 1) / MILLIS;
  }
}
