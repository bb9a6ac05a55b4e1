package sluice.codecs.memcached.bridge;

import io.netty.buffer.ByteBuf;
import sluice.codecs.ignite.IgniteRequest;
import sluice.codecs.memcached.binary.Opcode;

/**
 * Reads packets of clients that speak Apache Ignite's dialect ({@code
 * GridTcpMemcachedNioListener}): types become flags, milliseconds seconds, and no opcode is quiet.
 * Stateless.
 */
public final class IgniteRequestReader {
  private static final int MILLIS = 1000;

  private IgniteRequestReader() {}

  /**
   * Reads a request about one item, whose key, as servers know it, is the client's until the caller
   * sets another. Borrows the view's buffer.
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
        request.exptime = seconds(view.expiryMillis());
        request.setsExptime = true;
        request.valueLength = view.valueLength();
      }
      case CONCATENATE -> request.valueLength = view.valueLength();
      case REMOVE -> {
        // nothing beside the key
      }
      case COUNT -> count(request.operation == Operation.INCREMENT, view, request);
      default -> throw new IllegalArgumentException(view.operation() + " is about no item");
    }
    request.opcode = view.opcode();
    request.opaque = view.opaque();
    request.key(in, view.keyIndex(), view.keyIndex() + view.keyLength());
    request.clientKey(in, request.keyFrom, request.keyTo);
  }

  /** A node answers the first count with the delta applied to what it begins with. */
  private static void count(boolean up, IgniteRequest view, Request request) {
    request.wants = Request.VALUE;
    request.delta = view.delta();
    long first = up ? view.initial() + view.delta() : view.initial() - view.delta();
    request.initial = up ? first : Math.max(0, first); // memcached counts down to 0
    request.creates = true;
  }

  /** Up to a whole second; what is negative has expired. */
  private static long seconds(int millis) {
    return millis < 0 ? -1 : ((long) millis + MILLIS - 1) / MILLIS;
  }
}
