package sluice.embedded;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import sluice.codecs.memcached.text.TextLine;

/**
 * Text request being executed, with the objects that a session reuses to execute it. Borrows the
 * buffers of the request and of the reply.
 */
final class TextRequest {
  /**
   * memcached's tokenizer stops after this many tokens: the last one may not be the last of the
   * line.
   */
  static final int MAX_TOKENS = 23;

  final EmbeddedStore store;
  final Settings settings;
  final TextLine line = new TextLine();
  final Key key = new Key();
  final StoreRequest put = new StoreRequest();
  ByteBuf buffer = Unpooled.EMPTY_BUFFER;
  ByteBuf out = Unpooled.EMPTY_BUFFER;
  int dataStart;
  int end;
  long now;
  boolean noreply;
  boolean close;

  TextRequest(EmbeddedStore store) {
    this.store = store;
    settings = store.settings();
  }

  /** Number of tokens that memcached's tokenizer counts. */
  int tokens() {
    return Math.min(line.count(), MAX_TOKENS);
  }

  /** Uses token {@code token} as the key; returns false if it is too long. */
  boolean key(int token) {
    int length = line.length(token);
    if (length > Key.MAX_LENGTH) {
      return false;
    }
    key.wrap(buffer, line.start(token), length);
    return true;
  }

  /** Appends a line, unless {@code noreply} suppresses it. */
  void reply(byte[] text) {
    if (!noreply) {
      out.writeBytes(text);
    }
  }

  /** As {@link #reply(byte[])}, for rare commands. */
  void reply(String text) {
    reply(TextReply.line(text));
  }

  long signed32(int token) {
    return token < tokens()
        ? Numbers.signed32(buffer, line.start(token), line.end(token))
        : Numbers.INVALID;
  }

  long unsigned32(int token) {
    return token < tokens()
        ? Numbers.unsigned32(buffer, line.start(token), line.end(token))
        : Numbers.INVALID;
  }

  /** Whether a data block of that length follows the line and ends correctly. */
  boolean hasDataBlock(int length) {
    return end - dataStart == length + 2L
        && buffer.getByte(end - 2) == '\r'
        && buffer.getByte(end - 1) == '\n';
  }
}
