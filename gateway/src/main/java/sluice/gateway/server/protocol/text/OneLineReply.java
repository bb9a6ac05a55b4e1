package sluice.gateway.server.protocol.text;

import static sluice.codecs.memcached.text.TextReply.is;
import static sluice.codecs.memcached.text.TextReply.isError;
import static sluice.codecs.memcached.text.TextReply.startsWith;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.text.TextReply;
import sluice.gateway.request.ServerRequest;
import sluice.names.Command;

/**
 * Rules for replies of the text protocol that are one line: which of them answers which request.
 */
final class OneLineReply {
  private OneLineReply() {}

  /**
   * Whether the line [from, to) of in can be all of a reply to request: a line that announces more
   * cannot. Borrows in.
   */
  static boolean answers(ServerRequest request, ByteBuf in, int from, int to) {
    boolean regular =
        switch (request.kind()) {
          case STORED ->
              is(in, from, to, "STORED")
                  || is(in, from, to, "NOT_STORED")
                  || is(in, from, to, "EXISTS")
                  || is(in, from, to, "NOT_FOUND");
          case DELETED -> is(in, from, to, "DELETED") || is(in, from, to, "NOT_FOUND");
          case TOUCHED -> is(in, from, to, "TOUCHED") || is(in, from, to, "NOT_FOUND");
          case NUMBER ->
              TextReply.size(in, from, Math.min(to, from + 1)) >= 0
                  || is(in, from, to, "NOT_FOUND");
          default -> {
            Command command = request.command();
            yield (command == Command.VERSION || command == Command.NOOP)
                ? startsWith(in, from, to, "VERSION ")
                : !startsWith(in, from, to, "VALUE ");
          }
        };
    return regular || isError(in, from, to);
  }
}
