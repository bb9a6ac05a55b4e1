package sluice.codecs;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** Bytes of tests as text, one char a byte. */
public final class Ascii {
  private Ascii() {}

  /** A heap buffer of these bytes; nobody has to release it. */
  public static ByteBuf buffer(String text) {
    return Unpooled.wrappedBuffer(text.getBytes(ISO_8859_1));
  }

  /** The readable bytes. Borrows buffer. */
  public static String text(ByteBuf buffer) {
    return buffer.toString(ISO_8859_1);
  }
}
