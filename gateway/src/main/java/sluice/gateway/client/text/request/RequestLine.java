package sluice.gateway.client.text.request;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.AsciiNumber;
import sluice.codecs.buffer.Bytes;
import sluice.codecs.memcached.text.Base64Key;
import sluice.codecs.memcached.text.KeyedLine;
import sluice.codecs.memcached.text.StorageLine;
import sluice.codecs.memcached.text.TextLine;
import sluice.gateway.request.KeyRewrite;
import sluice.names.Command;

/**
 * Writer of clients' lines in the form for a server: canonical, with a rewritten key, or with
 * another opaque. In a classic line only the key is copied; the rest is written from the parsed
 * fields. Every method borrows its buffers. Static, because all state is in the line.
 */
public final class RequestLine {
  /**
   * As in memcached, a client that sends a longer line is disconnected, unless it is a read of
   * values.
   */
  public static final int MAX_LINE = 2048;

  /**
   * The longest line that a server gets, unless it is a get or gets. memcached before 1.6.14, and
   * its built-in proxy, close a connection if more bytes have come without a line end.
   */
  public static final int MAX_SENT = 1024;

  /** The most bytes by which a rewritten line may grow, besides its key. */
  public static final int SPARE = 48;

  private RequestLine() {}

  /**
   * Appends a line with one key, which is token {@code token} of line and was parsed by {@code
   * keyed}, in the form that every version of memcached reads alike.
   */
  public static void writeKeyed(
      KeyedLine keyed,
      Command command,
      TextLine line,
      int token,
      @Nullable KeyRewrite rewrite,
      ByteBuf out) {
    keyed.writeBeforeKey(command, out);
    int key = out.writerIndex();
    writeKey(line.buffer(), line.start(token), line.end(token), keyed.isBase64(), rewrite, out);
    keyed.writeBehindKey(command, key, out);
  }

  /** Appends a read of the keys from token {@code firstKey} on, none of them rewritten. */
  public static void writeRead(
      KeyedLine keyed, Command command, TextLine line, int firstKey, ByteBuf out) {
    writeBeforeKey(keyed, command, out);
    for (int token = firstKey; token < line.count(); token++) {
      if (token > firstKey) {
        out.writeByte(' ');
      }
      Bytes.append(line.buffer(), line.start(token), line.length(token), out);
    }
    out.writeShort('\r' << 8 | '\n');
  }

  /** Appends a read of one key. */
  public static void writeRead(
      KeyedLine keyed,
      Command command,
      TextLine line,
      int token,
      @Nullable KeyRewrite rewrite,
      ByteBuf out) {
    writeBeforeKey(keyed, command, out);
    writeKey(line.buffer(), line.start(token), line.end(token), false, rewrite, out);
    out.writeShort('\r' << 8 | '\n');
  }

  /** Appends the name of a read and a space, followed by the exptime and a space if it has one. */
  public static void writeBeforeKey(KeyedLine keyed, Command command, ByteBuf out) {
    switch (command) {
      case GET -> out.writeInt('g' << 24 | 'e' << 16 | 't' << 8 | ' ');
      case GETS -> out.writeInt('g' << 24 | 'e' << 16 | 't' << 8 | 's').writeByte(' ');
      default -> keyed.writeBeforeKey(command, out);
    }
  }

  /** Appends the line of a classic storage command that was parsed by {@code storage}. */
  public static void writeStorage(
      StorageLine storage,
      Command command,
      TextLine line,
      @Nullable KeyRewrite rewrite,
      ByteBuf out) {
    Bytes.append(line.buffer(), line.start(0), line.length(0), out);
    out.writeByte(' ');
    writeKey(line.buffer(), line.start(1), line.end(1), false, rewrite, out);
    storage.writeBehindKey(command, out);
  }

  /**
   * Appends the tokens of a line unchanged except for a rewritten key, for the embedded store,
   * which parses it as if the client had written it.
   *
   * @param key index of the key's token, or -1 for none
   */
  public static void writeForStore(
      TextLine line, int key, boolean base64, @Nullable KeyRewrite rewrite, ByteBuf out) {
    ByteBuf in = line.buffer();
    for (int token = 0; token < line.count(); token++) {
      if (token > 0) {
        out.writeByte(' ');
      }
      if (token == key) {
        writeKey(in, line.start(token), line.end(token), base64, rewrite, out);
      } else {
        Bytes.append(in, line.start(token), line.length(token), out);
      }
    }
    if (base64 && line.is(0, "me")) {
      out.writeShort(' ' << 8 | 'b'); // the second b makes 1.6.40 read the flag
    }
    out.writeShort('\r' << 8 | '\n');
  }

  /** Appends the delete of an item whose storage request was too large. */
  public static void writeDelete(
      TextLine line, boolean base64, @Nullable KeyRewrite rewrite, ByteBuf out) {
    out.writeCharSequence(base64 ? "md " : "delete ", US_ASCII);
    int key = out.writerIndex();
    writeKey(line.buffer(), line.start(1), line.end(1), base64, rewrite, out);
    if (base64) {
      out.writeShort(' ' << 8 | 'b');
    } else {
      KeyedLine.writeBehindDeleted(key, out);
    }
    out.writeShort('\r' << 8 | '\n');
  }

  /**
   * Appends the server key for the key [from, to), both in base64 if base64. A key in base64 is
   * encoded again even if it stays the same, because decoders differ in what they skip.
   *
   * @param rewrite null if the key stays
   */
  public static void writeKey(
      ByteBuf in, int from, int to, boolean base64, @Nullable KeyRewrite rewrite, ByteBuf out) {
    if (!base64) {
      if (rewrite == null) {
        Bytes.append(in, from, to - from, out);
      } else {
        rewrite.toServer(in, from, to, out);
      }
      return;
    }
    ByteBuf raw = out.alloc().buffer(to - from);
    ByteBuf renamed = out.alloc().buffer(to - from + (rewrite == null ? 0 : rewrite.mostAdded()));
    try {
      Base64Key.decode(in, from, to, raw);
      if (rewrite == null) {
        renamed.writeBytes(raw, 0, raw.writerIndex());
      } else {
        rewrite.toServer(raw, 0, raw.writerIndex(), renamed);
      }
      Base64Key.encode(renamed, 0, renamed.writerIndex(), out);
    } finally {
      raw.release();
      renamed.release();
    }
  }

  /**
   * Appends a meta line without its {@code q}, without token {@code stripped} (-1: none), and
   * without its {@code k} if requested. The opaque becomes {@code opaque}, in place of the client's
   * or at the end; -1: the client's stays.
   *
   * @param dataLength of an ms, whose token 2 it is; -1 for any other
   * @param keyAnew whether the key is written again, rewritten or not
   */
  public static void writeMeta(
      TextLine line,
      int quiet,
      int stripped,
      int opaqueToken,
      int opaque,
      boolean withoutKey,
      int dataLength,
      boolean base64,
      boolean keyAnew,
      @Nullable KeyRewrite rewrite,
      ByteBuf out) {
    int firstFlag = dataLength >= 0 ? 3 : 2;
    ByteBuf in = line.buffer();
    boolean appendsOpaque = opaque >= 0 && opaqueToken < 0;
    if (appendsOpaque
        && quiet < 0
        && stripped < 0
        && !withoutKey
        && !keyAnew
        && line.isRegular()
        && (dataLength < 0 || AsciiNumber.isCanonicalInt(in, line.start(2), line.end(2)))) {
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
      if (token == 2 && dataLength >= 0) {
        AsciiNumber.writeUnsigned(out, dataLength);
      } else if (token == 1 && keyAnew) {
        writeKey(in, line.start(token), line.end(token), base64, rewrite, out);
      } else {
        Bytes.append(in, line.start(token), line.length(token), out);
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
