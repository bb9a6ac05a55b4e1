package sluice.embedded;

import sluice.codecs.buffer.AsciiNumber;

/** Return codes of meta commands, and the flags that several of them write. */
final class MetaReply {
  static final byte[] HIT = TextReply.ascii("HD");
  static final byte[] HIT_WITH_VALUE = TextReply.ascii("VA ");
  static final byte[] MISS = TextReply.ascii("EN");
  static final byte[] NOT_FOUND = TextReply.ascii("NF");
  static final byte[] NOT_STORED = TextReply.ascii("NS");
  static final byte[] EXISTS = TextReply.ascii("EX");

  private MetaReply() {}

  /** Whether memcached's tokenizer accepts the line: enough tokens, and valid flags. */
  static boolean isReadable(TextRequest request, int firstFlag, int minimum) {
    return request.tokens() >= minimum
        && MetaFlags.areReadable(request.line, firstFlag, request.tokens());
  }

  /** Appends a t flag: the remaining seconds, -1 for an item that does not expire. */
  static void writeTtl(TextRequest request, long expiry) {
    request.out.writeByte(' ').writeByte('t');
    if (expiry == 0) {
      request.out.writeByte('-').writeByte('1');
    } else {
      // A ttl of the past prints as an unsigned 32-bit number, as in memcached.
      AsciiNumber.writeUnsigned(request.out, (expiry - request.now) & 0xFFFF_FFFFL);
    }
  }
}
