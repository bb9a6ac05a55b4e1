package sluice.gateway.client.text.request;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.text.Base64Key;
import sluice.codecs.memcached.text.StorageLine;
import sluice.codecs.memcached.text.TextLine;
import sluice.gateway.loop.Loop;
import sluice.gateway.near.NearCache;
import sluice.gateway.request.KeyRewrite;
import sluice.gateway.route.Rule;

/**
 * Key of a text request, in place, and its rewritten form. It borrows the buffer of the line, and
 * owns the buffers for decoded base64 and for rewritten keys.
 */
public final class TextKey {
  public static final int MOST_BYTES = StorageLine.MAX_KEY;

  private static final int DELETE = 0x7F;

  private static final int ROOM = 512;

  private final Loop loop;
  private ByteBuf in = Unpooled.EMPTY_BUFFER;
  private int from;
  private int to;
  private boolean readable; // false for a key in invalid base64, which the server refuses
  private @Nullable KeyRewrite rewrite;
  private @Nullable ByteBuf raw; // null before the first key in base64
  private @Nullable ByteBuf scratch; // null before the first use

  public TextKey(Loop loop) {
    this.loop = loop;
  }

  // --- where it is ------------------------------------------------------------------------------

  /** Reads the key from a token of line. */
  public void read(TextLine line, int token, boolean base64) {
    in = line.buffer();
    from = line.start(token);
    to = line.end(token);
    readable = true;
    rewrite = null;
    if (base64) {
      ByteBuf decoded = raw == null ? loop.buffer(ROOM) : raw.clear();
      raw = decoded;
      readable = Base64Key.decode(in, from, to, decoded) > 0;
      if (readable) {
        in = decoded;
        from = 0;
        to = decoded.writerIndex();
      }
    }
  }

  /**
   * The line's bytes were moved to another buffer, {@code by} behind their former index. Borrows
   * moved.
   */
  public void moved(ByteBuf old, ByteBuf moved, int by) {
    if (in == old) {
      in = moved;
      from += by;
      to += by;
    }
  }

  /** The buffer of the key, which is decoded if it came in base64. */
  public ByteBuf buffer() {
    return in;
  }

  public int from() {
    return from;
  }

  public int to() {
    return to;
  }

  /** Length of the key, as the rules match it. */
  public int length() {
    return to - from;
  }

  /** Whether a key that is marked as base64 is valid. */
  public boolean isReadable() {
    return readable;
  }

  // --- what its rule makes of it ----------------------------------------------------------------

  /** Sets the key's rule; null if there is none. */
  public void routed(@Nullable Rule rule) {
    KeyRewrite by = rule == null ? null : rule.rewrite();
    rewrite = readable && by != null && by.fits(in, from, to) ? by : null;
  }

  /** The rule's rewriting of the key; null if it stays. */
  public @Nullable KeyRewrite rewrite() {
    return rewrite;
  }

  /** Length of the server key. */
  public int serverLength() {
    return rewrite == null ? length() : rewrite.serverLength(length());
  }

  /**
   * Whether servers cannot have such a key, in its written form. With an empty key the next token
   * would be the key. Behind a key that is too long, a data block would be executed as commands.
   *
   * @param base64 whether the line has the key in base64
   */
  public boolean isUnusable(boolean base64) {
    if (rewrite == null) {
      return false; // the token exists, and its length was checked
    }
    int length = serverLength();
    return length < 1 || (base64 ? Base64Key.encodedLength(length) : length) > MOST_BYTES;
  }

  /** Appends the server key. Borrows out. */
  public void writeServerName(ByteBuf out) {
    if (rewrite == null) {
      out.writeBytes(in, from, to - from);
    } else {
      rewrite.toServer(in, from, to, out);
    }
  }

  /** The server key that {@link #rewrite} makes of it; valid until {@link #scratch}. */
  public ByteBuf renamed(KeyRewrite by) {
    ByteBuf out = scratch();
    by.toServer(in, from, to, out);
    return out;
  }

  /** The hash of the server key. */
  public int hash() {
    if (rewrite == null) {
      return NearCache.hash(in, from, to);
    }
    ByteBuf renamed = renamed(rewrite);
    return NearCache.hash(renamed, 0, renamed.writerIndex());
  }

  /** Sets the client's key of a canonical request. */
  public void giveTo(Request request) {
    request.key.set(in, from, to);
  }

  // --- what it would do to a line ---------------------------------------------------------------

  /**
   * Whether a line that repeats the raw key, as the server may, would be read in another way: the
   * key may end the line, or look like an opaque. Under a rewrite, it must not look like any flag.
   */
  public boolean breaksLines() {
    for (int i = from; i < to; i++) {
      int b = in.getUnsignedByte(i);
      if (b == '\n'
          || (b == ' ' && i + 1 < to && in.getByte(i + 1) == 'O')
          || (rewrite != null && (b <= ' ' || b == DELETE))) {
        return true;
      }
    }
    return false;
  }

  /** Whether the raw key would end a line that repeats it. */
  public boolean endsLines() {
    return in.indexOf(from, to, (byte) '\n') >= 0;
  }

  // --- memory -----------------------------------------------------------------------------------

  /** An empty buffer, until the next call of a method here that writes a key. Borrowed. */
  public ByteBuf scratch() {
    scratch = scratch == null ? loop.buffer(ROOM) : scratch.clear();
    return scratch;
  }

  /** The request is finished: clears references to its line. */
  public void clear() {
    in = Unpooled.EMPTY_BUFFER;
    rewrite = null;
  }

  /** Releases what is kept for the next request. */
  public void close() {
    if (raw != null) {
      raw.release();
      raw = null;
    }
    if (scratch != null) {
      scratch.release();
      scratch = null;
    }
  }
}
