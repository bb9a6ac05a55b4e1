package sluice.gateway.client.text;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.text.Base64Key;
import sluice.codecs.memcached.text.MetaLine;
import sluice.codecs.memcached.text.TextLine;
import sluice.gateway.exchange.Exchange;
import sluice.gateway.loop.Loop;
import sluice.gateway.server.connection.ServerConnection;

/**
 * The changes to a meta line on its way to a server: its quiet flag is taken out, its opaque is
 * replaced, its key renamed.
 */
final class MetaEdit {
  /** Bytes of an opaque of this gateway's, with the space before it. */
  private static final int LONGEST_OPAQUE = 12;

  /** A longer line gets no opaque: memcached closes a connection on which it is over the limit. */
  private static final int MAX_EXTENDED = RequestLine.MAX_LINE - LONGEST_OPAQUE;

  private int opaque; // -1: the client's stays
  private int stripped; // a token; -1: none
  private boolean withoutKey;
  private boolean keyAnew;

  /**
   * Whether the server of connection is to see another line than the one that was read, which
   * {@link #write} then writes; exchange knows afterwards what is to be changed back.
   */
  boolean changes(TextRequest request, Exchange exchange, ServerConnection connection, Loop loop) {
    boolean fits = request.meta.opaque() >= 0 || request.meta.isExtendable();
    fits &= lengthOf(request.line) <= MAX_EXTENDED;
    boolean addressed = fits && connection.version().echoesOpaqueOnMiss();
    return changes(request, exchange, addressed ? connection.nextOpaque() : -1, loop);
  }

  /**
   * As the other, of a line for a connection that no other client uses meanwhile: the client's
   * opaque stays.
   */
  boolean changes(TextRequest request, Exchange exchange, Loop loop) {
    return changes(request, exchange, -1, loop);
  }

  private boolean changes(TextRequest request, Exchange exchange, int wireOpaque, Loop loop) {
    TextLine line = request.line;
    MetaLine meta = request.meta;
    opaque = wireOpaque;
    withoutKey = meta.base64() && meta.returnsKey() && request.key.breaksLines();
    stripped = request.strippedToken();
    keyAnew =
        request.key.rewrite() != null
            || (meta.base64() && !Base64Key.isValid(line.buffer(), line.start(1), line.end(1)));
    boolean changes = meta.quiet() >= 0 || opaque >= 0 || stripped >= 0 || keyAnew || withoutKey;
    if (!changes && line.isRegular()) {
      return false;
    }
    if (opaque >= 0) {
      exchange.wireOpaque(opaque);
      if (meta.opaque() >= 0) {
        exchange.clientOpaque(
            line.buffer(), line.start(meta.opaque()) + 1, line.end(meta.opaque()));
      }
    }
    exchange.rewrite(request.key.rewrite());
    if (withoutKey) {
      ByteBuf echo = loop.buffer(line.length(1));
      exchange.echoKey(echo.writeBytes(line.buffer(), line.start(1), line.length(1)));
    }
    return true;
  }

  /** Bytes of a line written with one space between tokens, and its line end. */
  static int lengthOf(TextLine line) {
    return line.end(line.count() - 1) - line.start(0) + 2;
  }

  /**
   * Appends the line that {@link #changes} was asked about as the server is to see it.
   *
   * @param dataLength of an ms; -1 of any other
   */
  void write(TextRequest request, int dataLength, ByteBuf out) {
    RequestLine.writeMeta(
        request.line,
        request.meta.quiet(),
        stripped,
        request.meta.opaque(),
        opaque,
        withoutKey,
        dataLength,
        request.meta.base64(),
        keyAnew,
        request.key.rewrite(),
        out);
  }
}
