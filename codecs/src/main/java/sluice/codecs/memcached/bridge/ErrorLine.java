package sluice.codecs.memcached.bridge;

import static sluice.codecs.memcached.text.TextReply.isError;
import static sluice.codecs.memcached.text.TextReply.startsWith;

import io.netty.buffer.ByteBuf;

/** Reader of error lines of the text protocol, classic and meta. */
final class ErrorLine {
  private static final String NOT_ALLOWED = " not allowed";

  private ErrorLine() {}

  /** Reads the line [from, to) into reply if it is an error; returns whether it is. Borrows in. */
  static boolean read(ByteBuf in, int from, int to, Reply reply) {
    if (!isError(in, from, to)) {
      return false;
    }
    reply.clear(status(in, from, to)).text.set(in, from, to);
    return true;
  }

  private static Status status(ByteBuf in, int from, int to) {
    if (startsWith(in, from, to, "SERVER_ERROR")) {
      if (startsWith(in, from, to, "SERVER_ERROR object too large")) {
        return Status.TOO_LARGE;
      }
      boolean outOfMemory =
          startsWith(in, from, to, "SERVER_ERROR out of memory")
              || startsWith(in, from, to, "SERVER_ERROR Out of memory"); // of an ma
      return outOfMemory ? Status.OUT_OF_MEMORY : Status.SERVER_ERROR;
    }
    if (startsWith(in, from, to, "CLIENT_ERROR")) {
      if (startsWith(in, from, to, "CLIENT_ERROR cannot increment or decrement")) {
        return Status.NON_NUMERIC;
      }
      if (startsWith(in, from, to, "CLIENT_ERROR usage: stats")
          || startsWith(in, from, to, "CLIENT_ERROR stats ")) {
        return Status.UNKNOWN_COMMAND; // to a Stat, memcached says that it has no such statistics
      }
      boolean refused = startsWith(in, to - NOT_ALLOWED.length(), to, NOT_ALLOWED);
      return refused ? Status.NOT_ALLOWED : Status.CLIENT_ERROR;
    }
    return Status.UNKNOWN_COMMAND;
  }
}
