package sluice.codecs.memcached.text;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.AsciiNumber;
import sluice.codecs.buffer.McmcNumber;
import sluice.codecs.buffer.StrtolNumber;
import sluice.codecs.memcached.ServerVersion;
import sluice.names.Command;

/**
 * Interpretation of a line with a key and without a data block: delete, incr, decr, touch, gat,
 * gats, me.
 *
 * <p>It shows how a server of a version reads the line, and whether the bytes are canonical. A
 * canonical line means the same to every version of memcached and may be forwarded unchanged. Any
 * other line that a server would execute is rewritten.
 *
 * <pre>
 * command    tokens before 1.6.40             from 1.6.40 on   canonical
 * delete     key [0] [noreply]                key ...          key, unless that is "noreply"
 * incr decr  key delta [any]                  key delta ...    key delta
 * touch      key exptime [any]                key exptime ...  key exptime
 * gat gats   exptime key+                     exptime key+     exptime key+
 * me         key [b ...]                      key [b any ...]  key
 * </pre>
 *
 * <p>A last token "noreply" suppresses every reply, errors included; from 1.6.40 on also where it
 * is the key of a delete (memcached's process_delete_command and set_noreply_maybe; from 1.6.40 on
 * _process_request_simple). One instance is used again and again.
 */
public final class KeyedLine {
  private static final String BAD_FORMAT = "CLIENT_ERROR bad command line format";
  private static final String TOO_FEW = "ERROR";
  private static final String BAD_DELTA = "CLIENT_ERROR invalid numeric delta argument";
  private static final String BAD_EXPTIME = "CLIENT_ERROR invalid exptime argument";
  private static final String DELETE_USAGE =
      "CLIENT_ERROR bad command line format.  Usage: delete <key> [noreply]";
  private static final String NOREPLY = "noreply";

  private @Nullable String error;
  private boolean noreply;
  private boolean canonical;
  private boolean base64;
  private long number;

  /** The server's reason to refuse the line, without line end; null if it does not. */
  public @Nullable String error() {
    return error;
  }

  /** Whether a server answers nothing, not even an error. */
  public boolean noreply() {
    return noreply;
  }

  /** Whether every version of memcached reads the line's bytes in the same way, and replies. */
  public boolean isCanonical() {
    return canonical;
  }

  /** Whether the key of a {@code me} is base64. */
  public boolean isBase64() {
    return base64;
  }

  /** The delta, or the exptime within 32 bits signed as the server would take it. */
  public long number() {
    return number;
  }

  /** Reads line as a server of the version does. Borrows the line's buffer. */
  public KeyedLine read(TextLine line, Command command, ServerVersion version) {
    error = null;
    base64 = false;
    number = 0;
    boolean proxy = version.readsLinesAsProxy();
    int last = line.count() - 1;
    boolean saysNoreply = last > 0 && line.is(last, NOREPLY);
    noreply = saysNoreply;
    canonical = line.isRegular() && !saysNoreply;
    switch (command) {
      case DELETE -> delete(line, proxy, saysNoreply);
      case INCR, DECR -> arithmetic(line, version);
      case TOUCH -> touch(line, version);
      case GAT, GATS -> gat(line, proxy);
      case ME -> me(line, proxy);
      default -> throw new IllegalArgumentException(command.label() + " is no line with a key");
    }
    return this;
  }

  private void delete(TextLine line, boolean proxy, boolean saysNoreply) {
    int count = line.count();
    canonical &= count == 2;
    if (count < 2) {
      refuse(proxy ? BAD_FORMAT : TOO_FEW, false);
      return;
    }
    if (!proxy) {
      noreply = saysNoreply && count > 2;
      boolean zero = count > 2 && line.is(2, "0");
      boolean known =
          count == 2 || (count == 3 && (zero || noreply)) || (count == 4 && zero && noreply);
      if (count > 4) {
        refuse(TOO_FEW, false);
        return;
      }
      if (!known) {
        refuse(DELETE_USAGE, noreply);
        return;
      }
    }
    checkKey(line);
  }

  private void arithmetic(TextLine line, ServerVersion version) {
    if (!hasArgument(line, version)) {
      return;
    }
    ByteBuf in = line.buffer();
    int from = line.start(2);
    int to = line.end(2);
    canonical &= AsciiNumber.isCanonicalUnsigned(in, from, to);
    boolean strict = version.readsNumbersStrictly();
    if (strict ? McmcNumber.isUnsignedLong(in, from, to) : StrtolNumber.isUnsigned(in, from, to)) {
      number = StrtolNumber.unsigned(in, from, to);
    } else if (error == null) {
      error = BAD_DELTA;
    }
  }

  private void touch(TextLine line, ServerVersion version) {
    if (hasArgument(line, version)) {
      exptime(line, 2, version.readsNumbersStrictly());
    }
  }

  /** Whether there are a key and one more token, and not too many; if not, sets the error. */
  private boolean hasArgument(TextLine line, ServerVersion version) {
    boolean proxy = version.readsLinesAsProxy();
    canonical &= line.count() == 3;
    if (line.count() < 3) {
      refuse(proxy ? BAD_FORMAT : TOO_FEW, false);
      return false;
    }
    if (!proxy && line.count() > 4) {
      refuse(TOO_FEW, false);
      return false;
    }
    checkKey(line);
    return true;
  }

  private void gat(TextLine line, boolean strict) {
    noreply = false; // the token is a key
    canonical = line.isRegular() && line.count() > 2;
    if (line.count() < 2) {
      refuse(strict ? BAD_FORMAT : TOO_FEW, false);
      return;
    }
    exptime(line, 1, strict);
  }

  private void me(TextLine line, boolean proxy) {
    noreply = false; // the token is a key, or absent
    canonical = line.isRegular() && line.count() == 2;
    if (line.count() < 2) {
      refuse(BAD_FORMAT, false);
      return;
    }
    base64 = line.count() >= (proxy ? 4 : 3) && line.is(2, "b");
    checkKey(line);
  }

  private void exptime(TextLine line, int token, boolean strict) {
    ByteBuf in = line.buffer();
    int from = line.start(token);
    int to = line.end(token);
    canonical &= AsciiNumber.isCanonicalInt(in, from, to);
    if (strict && McmcNumber.isInt(in, from, to)) {
      number = McmcNumber.intValue(in, from, to);
    } else if (!strict && StrtolNumber.isSigned(in, from, to)) {
      number = (int) StrtolNumber.signed(in, from, to); // wraps, as memcached's does
    } else if (error == null) {
      error = BAD_EXPTIME;
    }
  }

  private void checkKey(TextLine line) {
    if (line.length(1) > StorageLine.MAX_KEY) {
      error = BAD_FORMAT;
    }
  }

  private void refuse(String reason, boolean silently) {
    error = reason;
    noreply = silently;
  }

  // --- writing ------------------------------------------------------------------------------

  /** Appends the command's name and everything before the key. Borrows out. */
  public void writeBeforeKey(Command command, ByteBuf out) {
    out.writeCharSequence(command.label(), US_ASCII);
    if (command == Command.GAT || command == Command.GATS) {
      out.writeByte(' ');
      AsciiNumber.writeSigned(out, number);
    }
    out.writeByte(' ');
  }

  /**
   * Appends the rest of the line after the key, and the line end. out holds the server key from
   * index {@code key} on. Borrows out.
   */
  public void writeBehindKey(Command command, int key, ByteBuf out) {
    switch (command) {
      case DELETE -> writeBehindDeleted(key, out);
      case INCR, DECR -> {
        out.writeByte(' ');
        AsciiNumber.writeUnsigned(out, number);
      }
      case TOUCH -> {
        out.writeByte(' ');
        AsciiNumber.writeSigned(out, number);
      }
      case ME -> {
        if (base64) {
          // the second b makes 1.6.40 read the flag
          out.writeInt(' ' << 24 | 'b' << 16 | ' ' << 8 | 'b');
        }
      }
      default -> {
        // the key of gat and gats comes last
      }
    }
    out.writeShort('\r' << 8 | '\n');
  }

  /**
   * Appends the rest of a delete after the key, which out holds from index {@code key} on. A key
   * that {@link #silences} the server gets a 0 after it, which every version accepts. Borrows out.
   */
  public static void writeBehindDeleted(int key, ByteBuf out) {
    if (silences(out, key, out.writerIndex())) {
      out.writeShort(' ' << 8 | '0');
    }
  }

  /**
   * Whether the server key [from, to) is one that silences servers from 1.6.40 on, if it ends the
   * line of a delete. Borrows in.
   */
  public static boolean silences(ByteBuf in, int from, int to) {
    return TextReply.is(in, from, to, NOREPLY);
  }
}
