package sluice.gateway.request;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.ServerVersion;

/** Head of a request that waits for an exclusive connection. Owns it until it is taken. */
public final class UnsentHead {
  private static final int DELETE = 0x7F;

  private @Nullable ByteBuf head; // null once it is sent

  /** Sets the head of the next request. Consumes unsent. */
  public void set(ByteBuf unsent) {
    head = unsent;
  }

  /**
   * Why a server of this version must not get it; null if it may. A server that does not know
   * {@code ms} would run the value. One that is not memcached may end its connection for such a
   * key, and would seem to fail.
   */
  public @Nullable String refusal(ServerVersion version) {
    ByteBuf unsent = head;
    if (unsent == null) {
      return null;
    }
    if (isMetaSet(unsent) && !version.speaksMeta()) {
      return "does not know ms";
    }
    return version.isForeign() && isLineWithControls(unsent)
        ? "does not take a key with a control character"
        : null;
  }

  private static boolean isMetaSet(ByteBuf unsent) {
    return unsent.readableBytes() > 3 && unsent.getMedium(0) == ('m' << 16 | 's' << 8 | ' ');
  }

  /** Whether it is a line, and no packet, with a control character before its end. */
  private static boolean isLineWithControls(ByteBuf unsent) {
    int end = unsent.writerIndex() - 2; // CRLF
    boolean isLine = end > 0 && unsent.getByte(0) > 0; // a packet's magic is negative
    for (int i = 0; isLine && i < end; i++) {
      int character = unsent.getUnsignedByte(i);
      if (character < ' ' || character == DELETE) {
        return true;
      }
    }
    return false;
  }

  /** Takes it to be sent; the caller owns the result. */
  @SuppressWarnings("NullAway") // a request that waits for its connection has one
  public ByteBuf take() {
    ByteBuf taken = head;
    head = null;
    return taken;
  }

  /** Releases it, if it was not sent. */
  public void release() {
    if (head != null) {
      head.release();
      head = null;
    }
  }
}
