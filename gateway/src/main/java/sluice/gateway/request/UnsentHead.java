package sluice.gateway.request;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Head of a request that waits for an exclusive connection. Owns it until it is taken. */
public final class UnsentHead {
  private @Nullable ByteBuf head; // null once it is sent

  /** Sets the head of the next request. Consumes unsent. */
  public void set(ByteBuf unsent) {
    head = unsent;
  }

  /** Whether it is the head of an {@code ms} that was not sent yet. */
  public boolean isMetaSet() {
    ByteBuf unsent = head;
    return unsent != null
        && unsent.readableBytes() > 3
        && unsent.getMedium(0) == ('m' << 16 | 's' << 8 | ' ');
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
