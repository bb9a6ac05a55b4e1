package sluice.codecs.memcached.bridge;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.Bytes;

/** What a key may be made of where it is a token of a line. */
final class KeyBytes {
  /** The longest key of any dialect, as it is written. */
  static final int MOST = 250;

  private static final int DEL = 0x7F;

  private KeyBytes() {}

  /** Whether the key would not be one token of a classic line, or not the same one. */
  static boolean breakLine(Request request) {
    for (int i = request.keyFrom; i < request.keyTo; i++) {
      switch (request.key.getByte(i)) {
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

  /** Whether a line would end inside the key, which may be more than one of its tokens. */
  static boolean endLine(Request request) {
    for (int i = request.keyFrom; i < request.keyTo; i++) {
      switch (request.key.getByte(i)) {
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

  /** Whether a meta line should rather have the key in base64. */
  static boolean wantBase64(Request request) {
    for (int i = request.keyFrom; i < request.keyTo; i++) {
      int b = request.key.getUnsignedByte(i);
      if (b <= ' ' || b == DEL) {
        return true;
      }
    }
    return false;
  }

  /** Appends the key as it is. Borrows out. */
  static void append(Request request, ByteBuf out) {
    Bytes.append(request.key, request.keyFrom, request.keyLength(), out);
  }
}
