package sluice.gateway.client;

import io.netty.buffer.ByteBuf;
import sluice.gateway.server.connection.ServerConnection;

/**
 * Neighbouring requests of one client's input that go to one server connection as they are: they
 * leave as one slice. Borrows the input until {@link #flush}.
 */
final class RequestRun {
  private ByteBuf in;
  private ServerConnection to; // null if there is no run
  private int start;
  private int end;

  /** Adds the bytes [from, next) of source; flushes first what they do not continue. */
  void add(ByteBuf source, int from, int next, ServerConnection connection) {
    if (to == connection && end == from && in == source) {
      end = next;
      return;
    }
    flush();
    in = source;
    to = connection;
    start = from;
    end = next;
  }

  /** Writes the run, if there is one. */
  void flush() {
    if (to != null) {
      to.write(in, start, end - start);
      to = null;
      in = null;
    }
  }
}
