package sluice.embedded;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import sluice.codecs.buffer.AsciiNumber;

/** Reply lines of the text protocol, as memcached 1.6.45 writes them. */
final class TextReply {
  static final byte[] CRLF = line("");
  static final byte[] VALUE = ascii("VALUE ");
  static final byte[] END = line("END");
  static final byte[] OK = line("OK");
  static final byte[] STORED = line("STORED");
  static final byte[] NOT_STORED = line("NOT_STORED");
  static final byte[] EXISTS = line("EXISTS");
  static final byte[] NOT_FOUND = line("NOT_FOUND");
  static final byte[] DELETED = line("DELETED");
  static final byte[] TOUCHED = line("TOUCHED");
  static final byte[] RESET = line("RESET");
  static final byte[] META_NOOP = line("MN");
  static final byte[] META_MISS = line("EN");
  static final byte[] VERSION = line("VERSION " + EmbeddedStore.VERSION);
  static final byte[] ERROR = line("ERROR");
  static final byte[] BAD_FORMAT = line("CLIENT_ERROR bad command line format");
  static final byte[] DELETE_USAGE =
      line("CLIENT_ERROR bad command line format.  Usage: delete <key> [noreply]");
  static final byte[] BAD_CHUNK = line("CLIENT_ERROR bad data chunk");
  static final byte[] BAD_EXPTIME = line("CLIENT_ERROR invalid exptime argument");
  static final byte[] BAD_DELTA = line("CLIENT_ERROR invalid numeric delta argument");
  static final byte[] NON_NUMERIC =
      line("CLIENT_ERROR cannot increment or decrement non-numeric value");
  static final byte[] TOO_LARGE = line("SERVER_ERROR object too large for cache");
  static final byte[] NO_MEMORY = line("SERVER_ERROR out of memory storing object");
  static final byte[] NO_MEMORY_DELTA = line("SERVER_ERROR out of memory");
  static final byte[] CLOSED = line("SERVER_ERROR embedded store is closed");

  private TextReply() {}

  static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  static byte[] line(String text) {
    return ascii(text + "\r\n");
  }

  /** Appends ' ', the letter and a number. */
  static void flag(ByteBuf out, char letter, long unsigned) {
    out.writeByte(' ').writeByte(letter);
    AsciiNumber.writeUnsigned(out, unsigned);
  }
}
