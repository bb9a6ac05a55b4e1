package sluice.gateway.client.input;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;
import sluice.gateway.dispatch.ClientSession.LineEnd;
import sluice.gateway.loop.Loop;

/**
 * End of a streamed value, whose line end is kept, removed or added. Owns the last bytes of a value
 * whose line end is removed, until it is known to be valid.
 */
public final class ValueEnd {
  /** The last byte of a value, and its line end. */
  private static final int CUT = 3;

  private static final int CRLF = '\r' << 8 | '\n';

  private final Loop loop;
  private LineEnd ending = LineEnd.KEPT;
  private @Nullable ByteBuf tail; // with a line end to be removed; null while nothing is held

  public ValueEnd(Loop loop) {
    this.loop = loop;
  }

  /** Begins a value whose line end is handled in this way. */
  public void begin(LineEnd how) {
    ending = how;
  }

  /**
   * Number of the next bytes of the value that may be sent now; the rest must be {@link #keep
   * kept}.
   *
   * @param length of the bytes that have arrived
   * @param remaining bytes that are still to come
   */
  public int firstToSend(int length, int remaining) {
    return ending == LineEnd.CUT ? Math.max(0, length - Math.max(0, CUT - remaining)) : length;
  }

  /** Keeps the next length bytes of in, and advances in. Borrows in. */
  public void keep(ByteBuf in, int length) {
    if (length > 0) {
      if (tail == null) {
        tail = loop.buffer(CUT);
      }
      tail.writeBytes(in, length);
    }
  }

  /**
   * The bytes to send last, after a complete value; null if it does not end with a line end. The
   * caller owns the result.
   */
  public @Nullable ByteBuf take() {
    if (ending == LineEnd.ADDED) {
      return loop.buffer(2).writeShort(CRLF);
    }
    ByteBuf last = tail;
    if (last == null) {
      return Unpooled.EMPTY_BUFFER;
    }
    if (last.getShort(1) != CRLF) {
      return null;
    }
    tail = null;
    return last.writerIndex(1);
  }

  /** Releases the held bytes. */
  public void release() {
    if (tail != null) {
      tail.release();
      tail = null;
    }
  }
}
