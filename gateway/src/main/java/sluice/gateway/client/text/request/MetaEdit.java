package sluice.gateway.client.text.request;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.text.Base64Key;
import sluice.codecs.memcached.text.MetaLine;
import sluice.codecs.memcached.text.TextLine;
import sluice.gateway.loop.Loop;
import sluice.gateway.request.PendingReply;
import sluice.gateway.server.connection.ServerConnection;

/**
 * Changes to a meta line on its way to a server: its quiet flag is removed, its opaque replaced,
 * its key rewritten.
 */
public final class MetaEdit {
  /** Length of an opaque of this gateway's, with the space before it. */
  private static final int LONGEST_OPAQUE = 12;

  /** A longer line gets no opaque: memcached closes a connection for a line over the limit. */
  private static final int MAX_EXTENDED = RequestLine.MAX_SENT - LONGEST_OPAQUE;

  /** A line that is no longer has room for any other key. */
  private static final int LONGEST_FOR_ANY_KEY = RequestLine.MAX_SENT - TextKey.MOST_BYTES;

  private final TextLine line;
  private final MetaLine meta;
  private final TextKey key;
  private int opaque; // -1: the client's stays
  private int stripped; // a token; -1: none
  private boolean withoutKey;
  private boolean keyAnew;

  /** The changes to lines that line shows, meta has read, and whose key is key. */
  public MetaEdit(TextLine line, MetaLine meta, TextKey key) {
    this.line = line;
    this.meta = meta;
    this.key = key;
  }

  /**
   * Whether the server of connection must get another line than the parsed one, which {@link
   * #write} then writes; pending reply then knows how to restore the client's fields in the reply.
   *
   * @param withoutToken a token that is removed; -1: none
   */
  public boolean changes(
      PendingReply pending, ServerConnection connection, int withoutToken, Loop loop) {
    boolean fits = (meta.opaque() >= 0 || meta.isExtendable()) && serverLength() <= MAX_EXTENDED;
    boolean addressed = fits && connection.version().echoesOpaqueOnMiss();
    return changes(pending, addressed ? connection.nextOpaque() : -1, withoutToken, loop);
  }

  /** The same, for a line on an exclusive connection: the client's opaque stays. */
  public boolean changes(PendingReply pending, int withoutToken, Loop loop) {
    return changes(pending, -1, withoutToken, loop);
  }

  private boolean changes(PendingReply pending, int wireOpaque, int withoutToken, Loop loop) {
    opaque = wireOpaque;
    withoutKey = meta.base64() && meta.returnsKey() && key.breaksLines();
    stripped = withoutToken;
    keyAnew =
        key.rewrite() != null
            || (meta.base64() && !Base64Key.isValid(line.buffer(), line.start(1), line.end(1)));
    boolean changes = meta.quiet() >= 0 || opaque >= 0 || stripped >= 0 || keyAnew || withoutKey;
    if (!changes && line.isRegular()) {
      return false;
    }
    if (opaque >= 0) {
      pending.wireOpaque(opaque);
      if (meta.opaque() >= 0) {
        pending.clientOpaque(line.buffer(), line.start(meta.opaque()) + 1, line.end(meta.opaque()));
      }
    }
    pending.rewrite(key.rewrite());
    if (withoutKey) {
      ByteBuf echo = loop.buffer(line.length(1));
      pending.echoKey(echo.writeBytes(line.buffer(), line.start(1), line.length(1)));
    }
    return true;
  }

  /** Length of the line with single spaces between tokens, and its line end. */
  private int length() {
    return line.end(line.count() - 1) - line.start(0) + 2;
  }

  /** The same with the server key, and the client's opaque. */
  private int serverLength() {
    int raw = key.serverLength();
    return length() - line.length(1) + (meta.base64() ? Base64Key.encodedLength(raw) : raw);
  }

  /** Whether the line, which is within the client's limits, is too long for servers. */
  public boolean isTooLong() {
    return length() > LONGEST_FOR_ANY_KEY && serverLength() > RequestLine.MAX_SENT;
  }

  /**
   * Appends the line that {@link #changes} examined in its form for the server. Borrows out.
   *
   * @param dataLength of an ms; -1 for any other
   */
  public void write(int dataLength, ByteBuf out) {
    RequestLine.writeMeta(
        line,
        meta.quiet(),
        stripped,
        meta.opaque(),
        opaque,
        withoutKey,
        dataLength,
        meta.base64(),
        keyAnew,
        key.rewrite(),
        out);
  }
}
