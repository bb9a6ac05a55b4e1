package sluice.gateway.server;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import sluice.gateway.loop.Loop;

/** Error lines that the gateway creates itself. The caller owns the methods' results. */
public final class TextErrors {
  /** Beginning of a line that states why a server has not answered. */
  public static final String SERVER_ERROR = "SERVER_ERROR ";

  private TextErrors() {}

  /** {@code SERVER_ERROR reason}. */
  public static ByteBuf serverError(Loop loop, String reason) {
    return line(loop, SERVER_ERROR + reason);
  }

  /** The text and a line end. */
  public static ByteBuf line(Loop loop, String text) {
    ByteBuf line = loop.buffer(ByteBufUtil.utf8MaxBytes(text) + 2);
    line.writeCharSequence(text, US_ASCII);
    return line.writeShort('\r' << 8 | '\n');
  }
}
