package sluice.gateway.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;
import sluice.gateway.request.PendingReply;
import sluice.gateway.server.connection.ServerConnection;

/**
 * Adjacent requests that are sent together, unchanged: one slice of the buffer that they arrived
 * in, for one server connection.
 *
 * <p>There is one for each event loop, not for each client. A client that sends to a server first
 * flushes earlier requests on its connections, even those of another client. So the bytes on a
 * connection are in the order of its queue.
 */
public final class ForwardedBatch {
  private ByteBuf in = Unpooled.EMPTY_BUFFER;
  private @Nullable ServerConnection to; // null while there is none
  private int start;
  private int end;

  /**
   * Sends the bytes [from, next) of a buffer to connection, and appends the request for {@code
   * pending} to its queue. Borrows buffer, which its owner keeps until the next {@link #flush}.
   */
  public void add(
      PendingReply pending, ByteBuf buffer, int from, int next, ServerConnection connection) {
    if (to != connection || end != from || in != buffer) {
      flush(); // before pending has its place in the queue: its write may set off more
      in = buffer;
      to = connection;
      start = from;
    }
    connection.expect(pending);
    end = next;
  }

  /** Writes what was added. */
  public void flush() {
    if (to != null) {
      ServerConnection connection = to;
      ByteBuf bytes = in;
      to = null;
      in = Unpooled.EMPTY_BUFFER;
      connection.write(bytes, start, end - start);
    }
  }
}
