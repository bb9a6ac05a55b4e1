package sluice.embedded;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import sluice.codecs.memcached.text.Base64Key;

/** Walk over all items, one segment after the other. Borrows out. */
final class Dump {
  private static final byte[] HEX = TextReply.ascii("0123456789ABCDEF");

  private final EmbeddedStore store;
  private final long now;
  private final ByteBuf out;
  private final ByteBuf key = Unpooled.buffer(Key.MAX_LENGTH, Key.MAX_LENGTH);

  Dump(EmbeddedStore store, long now, ByteBuf out) {
    this.store = store;
    this.now = now;
    this.out = out;
  }

  /** Action on an item of a locked segment; false ends the walk. */
  private interface Visitor {
    boolean visit(Segment segment, int item);
  }

  private void walk(long classes, Visitor visitor) {
    for (int i = 0; i < store.segmentCount(); i++) {
      Segment segment = store.segment(i).lock();
      try {
        int item = segment.oldest();
        while (item != Segment.NONE) {
          boolean wanted = (classes >>> ItemSize.slabClass(segment.size(item)) & 1) != 0;
          if (wanted && segment.isAlive(item, now) && !visitor.visit(segment, item)) {
            return;
          }
          item = segment.newer(item);
        }
      } finally {
        segment.unlock();
      }
    }
  }

  /** Removes expired items. */
  void removeDead() {
    for (int i = 0; i < store.segmentCount(); i++) {
      Segment segment = store.segment(i).lock();
      try {
        segment.crawlAll(now);
      } finally {
        segment.unlock();
      }
    }
  }

  /**
   * Writes ITEM lines of a class, as {@code stats cachedump} prints them; a limit of 0 means none.
   */
  void cachedump(int slabClass, long limit) {
    long[] left = {limit == 0 ? Long.MAX_VALUE : limit};
    walk(
        1L << slabClass,
        (segment, item) -> {
          out.writeBytes(TextReply.ascii("ITEM "));
          segment.readKey(item, out);
          out.writeBytes(
              TextReply.line(
                  " [" + segment.valueLength(item) + " b; " + segment.expiry(item) + " s]"));
          return --left[0] > 0;
        });
  }

  /** Writes lines as {@code lru_crawler metadump} prints them. */
  void metadump(long classes) {
    walk(
        classes,
        (segment, item) -> {
          long expiry = segment.expiry(item);
          long size = segment.size(item);
          out.writeBytes(TextReply.ascii("key="));
          writeKey(segment, item);
          out.writeBytes(
              TextReply.ascii(
                  " exp="
                      + (expiry == 0 ? -1 : expiry)
                      + " la="
                      + segment.lastUse(item)
                      + " cas="
                      + Long.toUnsignedString(segment.cas(item))
                      + " fetch="
                      + ((segment.state(item) & Segment.FETCHED) != 0 ? "yes" : "no")
                      + " cls="
                      + ItemSize.slabClass(size)
                      + " size="
                      + size
                      + " flags="
                      + Integer.toUnsignedString(segment.flags(item))
                      + " \n"));
          return true;
        });
  }

  /** Writes the key, with characters that a URI does not allow as %XX. */
  private void writeKey(Segment segment, int item) {
    key.clear();
    segment.readKey(item, key);
    while (key.isReadable()) {
      int b = key.readUnsignedByte();
      boolean plain =
          (b >= 'a' && b <= 'z')
              || (b >= 'A' && b <= 'Z')
              || (b >= '0' && b <= '9')
              || b == '-'
              || b == '.'
              || b == '_'
              || b == '~';
      if (plain) {
        out.writeByte(b);
      } else {
        out.writeByte('%').writeByte(HEX[b >>> 4]).writeByte(HEX[b & 0xF]);
      }
    }
  }

  /** Writes mg lines as {@code lru_crawler mgdump} prints them. */
  void mgdump(long classes) {
    walk(
        classes,
        (segment, item) -> {
          out.writeBytes(TextReply.ascii("mg "));
          if ((segment.state(item) & Segment.ENCODED_KEY) != 0) {
            key.clear();
            segment.readKey(item, key);
            Base64Key.encode(key, 0, key.writerIndex(), out);
            out.writeByte(' ').writeByte('b');
          } else {
            segment.readKey(item, out);
          }
          out.writeBytes(TextReply.CRLF);
          return true;
        });
  }
}
