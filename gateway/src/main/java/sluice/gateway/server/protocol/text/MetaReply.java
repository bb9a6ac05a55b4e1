package sluice.gateway.server.protocol.text;

import static sluice.codecs.memcached.text.TextReply.startsWith;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.AsciiNumber;
import sluice.codecs.buffer.Bytes;
import sluice.codecs.memcached.text.Base64Key;
import sluice.codecs.memcached.text.TextReply;
import sluice.gateway.request.KeyRewrite;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ServerRequest;

/** Rewriting of the flags in meta replies: the client gets its own opaque and key back. */
final class MetaReply {
  private MetaReply() {}

  /** Whether these are the two letters of a return code. */
  static boolean isCode(short code) {
    return switch (code) {
      case 'H' << 8 | 'D',
          'V' << 8 | 'A',
          'E' << 8 | 'N',
          'N' << 8 | 'S',
          'E' << 8 | 'X',
          'N' << 8 | 'F' ->
          true;
      default -> false;
    };
  }

  /** Whether the request suppresses the line [from, to) of in. Borrows in. */
  static boolean isHidden(ServerRequest request, ByteBuf in, int from, int to) {
    return switch (request.suppression()) {
      case MISS -> startsWith(in, from, to, "EN");
      case SUCCESS -> startsWith(in, from, to, "VA ") || startsWith(in, from, to, "HD");
      case ALL -> true;
      default -> false;
    };
  }

  /** The reply to request, if its lines must be rewritten for the client; otherwise null. */
  static @Nullable PendingReply rewritten(ServerRequest request) {
    PendingReply reply = request.reply();
    return reply != null
            && (request.opaque() != PendingReply.NONE
                || request.rewrite() != null
                || reply.echoKey() != null)
        ? reply
        : null;
  }

  /**
   * Whether the flags [flags, to) repeat the opaque that was sent for request, if one was. Borrows
   * in.
   */
  static boolean isAnswerTo(ServerRequest request, ByteBuf in, int flags, int to) {
    if (request.opaque() == PendingReply.NONE) {
      return true;
    }
    boolean matched = false;
    for (int at = flags; at < to; at = TextReply.tokenEnd(in, at + 1, to)) {
      int start = at + 1;
      int end = TextReply.tokenEnd(in, start, to);
      if (end > start && in.getByte(start) == 'O') {
        if (!isOpaque(in, start + 1, end, request)) {
          return false;
        }
        matched = true;
      }
    }
    return matched;
  }

  private static boolean isOpaque(ByteBuf in, int from, int to, ServerRequest request) {
    return AsciiNumber.isUnsigned(in, from, to)
        && AsciiNumber.unsigned(in, from, to) == request.opaque();
  }

  /** The most bytes that the line for request, of this length, has in the client's form. */
  static int mostRewritten(ServerRequest request, PendingReply reply, int length) {
    KeyRewrite rewrite = request.rewrite();
    ByteBuf echo = reply.echoKey();
    return length
        + 40
        + (rewrite == null ? 0 : 2 * rewrite.mostAdded())
        + (echo == null ? 0 : echo.readableBytes() + 4);
  }

  /**
   * Appends the line [from, to) in the client's form, with its line end; its flags start at {@code
   * flags}. Borrows in and line.
   *
   * @return whether the opaque is the one that was sent
   */
  static boolean rewrite(
      ByteBuf in,
      int from,
      int flags,
      int to,
      ServerRequest request,
      PendingReply reply,
      ByteBuf line) {
    KeyRewrite rewrite = request.rewrite();
    boolean base64 = rewrite != null && hasBase64(in, flags, to); // once: a line may have many keys
    Bytes.append(in, from, flags - from, line);
    boolean matched = request.opaque() == PendingReply.NONE;
    int position = flags;
    while (position < to) {
      int start = position + 1;
      int end = TextReply.tokenEnd(in, start, to);
      byte flag = end > start ? in.getByte(start) : 0;
      if (flag == 'O' && request.opaque() != PendingReply.NONE) {
        if (!isOpaque(in, start + 1, end, request)) {
          return false;
        }
        matched = true;
        if (reply.clientOpaqueLength() != PendingReply.NONE) {
          line.writeShort(' ' << 8 | 'O');
          line.writeBytes(reply.clientOpaque(), 0, reply.clientOpaqueLength());
        }
      } else if (flag == 'k' && rewrite != null) {
        line.writeShort(' ' << 8 | 'k');
        writeKey(in, start + 1, end, base64, rewrite, line);
      } else {
        line.writeByte(' ');
        Bytes.append(in, start, end - start, line);
      }
      position = end;
    }
    ByteBuf echo = reply.echoKey();
    if (echo != null) {
      line.writeShort(' ' << 8 | 'k');
      Bytes.append(echo, echo.readerIndex(), echo.readableBytes(), line);
      line.writeShort(' ' << 8 | 'b');
    }
    line.writeShort('\r' << 8 | '\n');
    return matched;
  }

  private static boolean hasBase64(ByteBuf in, int flags, int to) {
    for (int i = flags; i < to; i = TextReply.tokenEnd(in, i + 1, to)) {
      if (TextReply.is(in, i + 1, TextReply.tokenEnd(in, i + 1, to), "b")) {
        return true;
      }
    }
    return false;
  }

  private static void writeKey(
      ByteBuf in, int from, int to, boolean base64, KeyRewrite rewrite, ByteBuf out) {
    if (base64 && Base64Key.isValid(in, from, to)) {
      ByteBuf raw = out.alloc().buffer(to - from);
      ByteBuf renamed = out.alloc().buffer(to - from + rewrite.mostAdded());
      try {
        Base64Key.decode(in, from, to, raw);
        if (rewrite.fitsBack(raw, 0, raw.writerIndex())) {
          rewrite.toClient(raw, 0, raw.writerIndex(), renamed);
          Base64Key.encode(renamed, 0, renamed.writerIndex(), out);
        } else { // the server has not got this key from the gateway
          Bytes.append(in, from, to - from, out);
        }
      } finally {
        raw.release();
        renamed.release();
      }
    } else if (rewrite.fitsBack(in, from, to)) {
      rewrite.toClient(in, from, to, out);
    } else {
      Bytes.append(in, from, to - from, out);
    }
  }
}
