package sluice.gateway.client;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.AsciiNumber;
import sluice.codecs.buffer.Bytes;
import sluice.codecs.memcached.text.Base64Key;
import sluice.codecs.memcached.text.TextLine;
import sluice.gateway.exchange.KeyRewrite;

/**
 * Writes a client's line anew as a server is to see it: tokens left out, a key renamed, an opaque
 * replaced. Static, because all it knows is on the line.
 */
final class RequestLine {
  private RequestLine() {}

  /** Appends a line of all tokens but {@code without} (-1: none); key token renamed if asked. */
  static void write(
      TextLine line, int without, int key, boolean base64, KeyRewrite rewrite, ByteBuf out) {
    ByteBuf in = line.buffer();
    for (int token = 0; token < line.count(); token++) {
      if (token == without) {
        continue;
      }
      if (token > 0) {
        out.writeByte(' ');
      }
      if (token == key && rewrite != null) {
        writeKey(in, line.start(token), line.end(token), base64, rewrite, out);
      } else {
        out.writeBytes(in, line.start(token), line.length(token));
      }
    }
    out.writeShort('\r' << 8 | '\n');
  }

  /** Appends the server's name of the key [from, to), both in base64 if it is. */
  static void writeKey(
      ByteBuf in, int from, int to, boolean base64, KeyRewrite rewrite, ByteBuf out) {
    if (!base64) {
      rewrite.toServer(in, from, to, out);
      return;
    }
    ByteBuf raw = out.alloc().buffer(to - from);
    ByteBuf renamed = out.alloc().buffer(to - from + rewrite.mostAdded());
    try {
      Base64Key.decode(in, from, to, raw);
      rewrite.toServer(raw, 0, raw.writerIndex(), renamed);
      Base64Key.encode(renamed, 0, renamed.writerIndex(), out);
    } finally {
      raw.release();
      renamed.release();
    }
  }

  /**
   * Appends a meta line without its {@code q}, without token {@code stripped} (-1: none), without
   * its {@code k} if asked, and with the opaque {@code opaque} in place of the client's, or at the
   * end; -1: the client's stays.
   */
  static void writeMeta(
      TextLine line,
      int quiet,
      int stripped,
      int opaqueToken,
      int opaque,
      boolean withoutKey,
      int firstFlag,
      boolean base64,
      KeyRewrite rewrite,
      ByteBuf out) {
    ByteBuf in = line.buffer();
    boolean appendsOpaque = opaque >= 0 && opaqueToken < 0;
    if (appendsOpaque && quiet < 0 && stripped < 0 && !withoutKey && rewrite == null) {
      int from = line.start(0);
      Bytes.append(in, from, line.end(line.count() - 1) - from, out);
      writeOpaque(opaque, out);
      out.writeShort('\r' << 8 | '\n');
      return;
    }
    for (int token = 0; token < line.count(); token++) {
      boolean isKeyFlag = token >= firstFlag && in.getByte(line.start(token)) == 'k';
      if (token == quiet || token == stripped || (withoutKey && isKeyFlag)) {
        continue;
      }
      if (token == opaqueToken && opaque >= 0) {
        writeOpaque(opaque, out); // in its place: flags come back in the order sent
        continue;
      }
      if (token > 0) {
        out.writeByte(' ');
      }
      if (token == 1 && rewrite != null) {
        writeKey(in, line.start(token), line.end(token), base64, rewrite, out);
      } else {
        out.writeBytes(in, line.start(token), line.length(token));
      }
    }
    if (appendsOpaque) {
      writeOpaque(opaque, out);
    }
    out.writeShort('\r' << 8 | '\n');
  }

  private static void writeOpaque(int opaque, ByteBuf out) {
    out.writeShort(' ' << 8 | 'O');
    AsciiNumber.writeUnsigned(out, opaque);
  }
}
