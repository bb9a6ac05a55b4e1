package sluice.gateway.request;

import io.netty.buffer.ByteBuf;

/**
 * Rewriting of keys by a rule. On the way to the servers, the prefix {@code strip} is replaced by
 * {@code add}; on the way back, it is restored.
 */
public final class KeyRewrite {
  private final byte[] strip;
  private final byte[] add;

  /**
   * @param strip may be empty
   * @param add may be empty
   */
  public KeyRewrite(byte[] strip, byte[] add) {
    this.strip = strip.clone();
    this.add = add.clone();
  }

  /** The largest number of bytes by which a key may grow, in either direction. */
  public int mostAdded() {
    return Math.max(strip.length, add.length);
  }

  /** Appends the server key for the client's key [from, to). Borrows both buffers. */
  public void toServer(ByteBuf key, int from, int to, ByteBuf out) {
    out.writeBytes(add).writeBytes(key, from + strip.length, to - from - strip.length);
  }

  /** Appends the client's key for the server key [from, to). Borrows both buffers. */
  public void toClient(ByteBuf key, int from, int to, ByteBuf out) {
    out.writeBytes(strip).writeBytes(key, from + add.length, to - from - add.length);
  }

  /** Whether the client's key starts with the prefix to remove. */
  public boolean fits(ByteBuf key, int from, int to) {
    return startsWith(key, from, to, strip);
  }

  /** Whether the server key starts with the added prefix. */
  public boolean fitsBack(ByteBuf key, int from, int to) {
    return startsWith(key, from, to, add);
  }

  /** The length of the server key for a client's key of this length. */
  public int serverLength(int clientLength) {
    return clientLength - strip.length + add.length;
  }

  private static boolean startsWith(ByteBuf key, int from, int to, byte[] prefix) {
    if (to - from < prefix.length) {
      return false;
    }
    for (int i = 0; i < prefix.length; i++) {
      if (key.getByte(from + i) != prefix[i]) {
        return false;
      }
    }
    return true;
  }
}
