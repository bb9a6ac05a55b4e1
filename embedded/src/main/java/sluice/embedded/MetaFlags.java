package sluice.embedded;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.AsciiNumber;
import sluice.codecs.memcached.text.Base64Key;
import sluice.codecs.memcached.text.MetaFlag;
import sluice.codecs.memcached.text.TextLine;

/** Flags of one meta command, read in one pass. One instance, used again and again. */
final class MetaFlags {
  private static final int MAX_TOKENS = 20;
  private static final int MAX_OPAQUE = 32; // includes the letter
  private static final byte[] TOO_MANY = TextReply.line("CLIENT_ERROR options flags are too long");
  private static final byte[] DUPLICATE = TextReply.line("CLIENT_ERROR duplicate flag");
  private static final byte[] INVALID = TextReply.line("CLIENT_ERROR invalid flag");
  private static final byte[] BAD_TOKEN =
      TextReply.line("CLIENT_ERROR bad token in command line format");
  private static final byte[] BAD_KEY = TextReply.line("CLIENT_ERROR error decoding key");
  private static final byte[] BAD_INITIAL =
      TextReply.line("CLIENT_ERROR invalid numeric initial value");
  private static final byte[] BAD_DELTA =
      TextReply.line("CLIENT_ERROR invalid numeric delta value");
  private static final byte[] OPAQUE_TOO_LONG =
      TextReply.line("CLIENT_ERROR opaque token too long");

  private final ByteBuf decodedKey = Unpooled.buffer(Key.MAX_LENGTH + 2, Key.MAX_LENGTH + 2);
  private final TextRequest request;
  private int first;
  private byte @Nullable [] error;

  /** The {@link MetaFlag#bit}s of the flags that were sent. */
  private long sent;

  int ttlExpiry;
  int vivifyExpiry;
  long recacheExpiry;
  long compareCas;
  long newCas;
  int clientFlags;
  long delta;
  long initial;

  /** The letter of {@code M}, or 0. */
  int mode;

  MetaFlags(TextRequest request) {
    this.request = request;
  }

  /**
   * Whether every flag starts with a letter or a digit. Otherwise, memcached's tokenizer gives up
   * before it knows about a data block.
   */
  static boolean areReadable(TextLine line, int first, int end) {
    for (int token = first; token < end; token++) {
      int c = line.buffer().getByte(line.start(token));
      if (!(c > 64 && c < 123) && !(c >= '0' && c <= '9')) {
        return false;
      }
    }
    return true;
  }

  /**
   * Reads the flags from token {@code first} on, and the key into the request's.
   *
   * @return the error line to answer with, or null
   */
  byte @Nullable [] read(int first) {
    this.first = first;
    reset();
    if (!request.key(1)) {
      return TextReply.BAD_FORMAT;
    }
    if (request.tokens() > MAX_TOKENS) {
      return TOO_MANY;
    }
    for (int token = first; token < request.tokens(); token++) {
      MetaFlag flag = MetaFlag.of(letter(token));
      if (flag == null) {
        return INVALID;
      }
      if ((sent & flag.bit()) != 0) {
        return DUPLICATE;
      }
      sent |= flag.bit();
      read(token, flag);
    }
    return error;
  }

  private void reset() {
    error = null;
    sent = 0;
    ttlExpiry = 0;
    vivifyExpiry = 0;
    recacheExpiry = 0;
    compareCas = 0;
    newCas = 0;
    clientFlags = 0;
    delta = 1;
    initial = 0;
    mode = 0;
  }

  /** Reads the argument of one flag; records an error in it. */
  private void read(int token, MetaFlag flag) {
    switch (flag) {
      case BASE64 -> error = decodeKey() ? error : BAD_KEY;
      case VIVIFY -> vivifyExpiry = expiry(token);
      case TIME_TO_LIVE -> ttlExpiry = expiry(token);
      case RECACHE -> recacheExpiry = Integer.toUnsignedLong(expiry(token));
      case SET_FLAGS -> {
        long flags = Numbers.unsigned32(request.buffer, argument(token), end(token));
        error = flags == Numbers.INVALID && error == null ? TextReply.BAD_FORMAT : error;
        clientFlags = (int) flags;
      }
      case COMPARE_CAS -> compareCas = unsigned64(token, BAD_TOKEN);
      case SET_CAS -> newCas = unsigned64(token, BAD_TOKEN);
      case INITIAL -> initial = unsigned64(token, BAD_INITIAL);
      case DELTA -> delta = unsigned64(token, BAD_DELTA);
      case MODE ->
          mode = argument(token) < end(token) ? request.buffer.getByte(argument(token)) : ' ';
      case INVALIDATE, VALUE, NO_UPDATE, QUIET, REMOVE_VALUE -> {
        // without an argument: sent or not
      }
      case OPAQUE,
          PROXY_PATH,
          PROXY_LABEL,
          RETURN_KEY,
          SIZE,
          TIME_LEFT,
          RETURN_CAS,
          RETURN_FLAGS,
          LAST_ACCESS,
          HIT_BEFORE -> {
        // Read again when the reply is written, or without meaning to a server.
      }
    }
  }

  // Letters, so that each test is one of a constant: Java takes a shift modulo 64, as bit() does.

  private boolean wasSent(char letter) {
    return (sent & 1L << letter) != 0;
  }

  boolean noUpdate() {
    return wasSent('u');
  }

  boolean vivify() {
    return wasSent('N');
  }

  boolean value() {
    return wasSent('v');
  }

  boolean invalidate() {
    return wasSent('I');
  }

  boolean quiet() {
    return wasSent('q');
  }

  boolean removeValue() {
    return wasSent('x');
  }

  boolean hasTtl() {
    return wasSent('T');
  }

  boolean hasCompareCas() {
    return wasSent('C');
  }

  boolean hasNewCas() {
    return wasSent('E');
  }

  /** Decodes the key of a request from base64; returns false if it is invalid. */
  boolean decodeKey() {
    decodedKey.clear();
    int length =
        Base64Key.decode(request.buffer, request.line.start(1), request.line.end(1), decodedKey);
    if (length == 0) {
      return false;
    }
    request.key.wrapDecoded(decodedKey, 0, length);
    return true;
  }

  private int expiry(int token) {
    long exptime = Numbers.signed32(request.buffer, argument(token), end(token));
    if (exptime == Numbers.INVALID) {
      error = BAD_TOKEN;
      return 0;
    }
    return request.store.expiry(exptime, request.now);
  }

  private long unsigned64(int token, byte[] onError) {
    if (!Numbers.isUnsigned64(request.buffer, argument(token), end(token))) {
      error = onError;
      return 0;
    }
    return AsciiNumber.unsigned(request.buffer, argument(token), end(token));
  }

  /** Index of the first flag's token. */
  int first() {
    return first;
  }

  int letter(int token) {
    return request.buffer.getUnsignedByte(request.line.start(token));
  }

  private int argument(int token) {
    return request.line.start(token) + 1;
  }

  private int end(int token) {
    return request.line.end(token);
  }

  /** The error line for an opaque that is too long, or null. */
  byte @Nullable [] checkOpaque() {
    for (int token = first; token < request.tokens(); token++) {
      if (letter(token) == 'O' && request.line.length(token) > MAX_OPAQUE) {
        return OPAQUE_TOO_LONG;
      }
    }
    return null;
  }

  /** Appends an O flag unchanged. */
  void writeOpaque(int token) {
    request
        .out
        .writeByte(' ')
        .writeBytes(request.buffer, request.line.start(token), request.line.length(token));
  }

  /** Appends the key as a k flag. */
  void writeKey(boolean encoded) {
    ByteBuf out = request.out;
    Key key = request.key;
    out.writeByte(' ').writeByte('k');
    if (encoded) {
      Base64Key.encode(key.buffer(), key.start(), key.end(), out);
      out.writeByte(' ').writeByte('b');
    } else {
      out.writeBytes(key.buffer(), key.start(), key.length());
    }
  }

  /** Appends the request's O and k, the only flags that a reply without an item repeats. */
  void writeEcho() {
    for (int token = first; token < request.tokens(); token++) {
      int letter = letter(token);
      if (letter == 'O') {
        writeOpaque(token);
      } else if (letter == 'k') {
        writeKey(request.key.isEncoded());
      }
    }
  }
}
