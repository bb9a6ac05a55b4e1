package sluice.codecs.memcached.bridge;

/** Rules for the bytes of a key that is a token of a line. */
final class KeyBytes {
  /** The longest key of any dialect in bytes, as it is written. */
  static final int MOST = 250;

  private static final int DEL = 0x7F;

  private KeyBytes() {}

  /**
   * Whether the key would not be a single token of a classic line, or would be a different token.
   */
  static boolean breakLine(ByteRange key) {
    for (int i = key.from; i < key.to; i++) {
      switch (key.buffer.getByte(i)) {
        case 0, ' ', '\r', '\n' -> {
          return true;
        }
        default -> {
          // any other byte is part of the token
        }
      }
    }
    return false;
  }

  /** Whether the key would end the line; it may consist of more than one token. */
  static boolean endLine(ByteRange key) {
    for (int i = key.from; i < key.to; i++) {
      switch (key.buffer.getByte(i)) {
        case 0, '\r', '\n' -> {
          return true;
        }
        default -> {
          // any other byte is part of the line
        }
      }
    }
    return false;
  }

  /**
   * Whether the key has a control character or a space: a meta line should carry it in base64, and
   * not every server takes it in a classic line.
   */
  static boolean wantBase64(ByteRange key) {
    for (int i = key.from; i < key.to; i++) {
      int b = key.buffer.getUnsignedByte(i);
      if (b <= ' ' || b == DEL) {
        return true;
      }
    }
    return false;
  }
}
