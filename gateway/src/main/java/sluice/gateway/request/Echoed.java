package sluice.gateway.request;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Fields of a meta request that its reply repeats in the client's form. Owns the key. */
final class Echoed {
  private static final int LONGEST_OPAQUE = 32;
  private static final int NONE = -1;

  private final byte[] metaOpaque = new byte[LONGEST_OPAQUE];
  private int metaOpaqueLength = NONE;
  private @Nullable ByteBuf key;

  /** Releases the key. */
  void reset() {
    metaOpaqueLength = NONE;
    if (key != null) {
      key.release();
      key = null;
    }
  }

  boolean isReset() {
    return metaOpaqueLength == NONE && key == null;
  }

  /** Copies the bytes [from, to) of in. */
  void metaOpaque(ByteBuf in, int from, int to) {
    metaOpaqueLength = to - from;
    in.getBytes(from, metaOpaque, 0, metaOpaqueLength);
  }

  byte[] metaOpaque() {
    return metaOpaque;
  }

  int metaOpaqueLength() {
    return metaOpaqueLength;
  }

  /** Sets the key. Consumes of. */
  void key(ByteBuf of) {
    key = of;
  }

  @Nullable ByteBuf key() {
    return key;
  }
}
