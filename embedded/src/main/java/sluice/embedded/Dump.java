package sluice.embedded;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import sluice.codecs.memcached.text.Base64Key;

/** Walk over all items, one segment after the other. Borrows out. */
final class Dump {
  /** Most bytes of a whole reply to {@code stats cachedump}, as in memcached's item_cachedump. */
  static final int MAX_CACHEDUMP_BYTES = 2 * 1024 * 1024;

  /**
   * Most items that {@code stats cachedump} looks at. There is no list of the items of a class, and
   * any client may ask for a class that has few items among many of others.
   */
  static final int MAX_CACHEDUMP_STEPS = 20_000;

  /** Most bytes of the lines of {@code lru_crawler metadump} and {@code mgdump}. */
  static final int MAX_DUMP_BYTES = 16 * 1024 * 1024;

  private static final byte[] ITEM = TextReply.ascii("ITEM ");
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

  /**
   * Visits the items of some classes.
   *
   * @param steps how many items of any class are looked at
   * @return whether no item is left; otherwise the visitor or the number of steps ended the walk
   */
  private boolean walk(long classes, long steps, Visitor visitor) {
    long left = steps;
    for (int i = 0; i < store.segmentCount(); i++) {
      Segment segment = store.segment(i).lock();
      try {
        int item = segment.tally().hasItems(classes) ? segment.oldest() : Segment.NONE;
        while (item != Segment.NONE) {
          if (left-- == 0) {
            return false;
          }
          boolean wanted = (classes >>> ItemSize.slabClass(segment.size(item)) & 1) != 0;
          if (wanted && segment.isAlive(item, now) && !visitor.visit(segment, item)) {
            return false;
          }
          item = segment.newer(item);
        }
      } finally {
        segment.unlock();
      }
    }
    return true;
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
   * Writes ITEM lines of a class and the end, as {@code stats cachedump} prints them. Items whose
   * keys are in base64 are left out, as in memcached: such a key may contain a line end.
   *
   * @param limit the most lines, 0 for any number
   */
  void cachedump(int slabClass, long limit) {
    // As memcached counts, there is a NUL after the end.
    int most = out.writerIndex() + MAX_CACHEDUMP_BYTES - TextReply.END.length - 1;
    long[] left = {limit == 0 ? Long.MAX_VALUE : limit};
    walk(
        1L << slabClass,
        MAX_CACHEDUMP_STEPS,
        (segment, item) -> {
          if ((segment.state(item) & Segment.ENCODED_KEY) != 0) {
            return true;
          }
          byte[] rest =
              TextReply.line(
                  " [" + segment.valueLength(item) + " b; " + segment.expiry(item) + " s]");
          if (out.writerIndex() + ITEM.length + segment.keyLength(item) + rest.length > most) {
            return false;
          }
          out.writeBytes(ITEM);
          segment.readKey(item, out);
          out.writeBytes(rest);
          return --left[0] > 0;
        });
    out.writeBytes(TextReply.END);
  }

  /**
   * Writes lines as {@code lru_crawler metadump} prints them.
   *
   * @return whether these are all; otherwise {@link #MAX_DUMP_BYTES} did not suffice
   */
  boolean metadump(long classes) {
    int most = out.writerIndex() + MAX_DUMP_BYTES;
    return walk(
        classes,
        Long.MAX_VALUE,
        (segment, item) -> {
          int start = out.writerIndex();
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
          return isWithin(most, start);
        });
  }

  /** Whether the lines so far end before an index; if not, removes the last one. */
  private boolean isWithin(int most, int lastLine) {
    boolean within = out.writerIndex() <= most;
    if (!within) {
      out.writerIndex(lastLine);
    }
    return within;
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

  /** Writes mg lines as {@code lru_crawler mgdump} prints them; as {@link #metadump}. */
  boolean mgdump(long classes) {
    int most = out.writerIndex() + MAX_DUMP_BYTES;
    return walk(
        classes,
        Long.MAX_VALUE,
        (segment, item) -> {
          int start = out.writerIndex();
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
          return isWithin(most, start);
        });
  }
}
