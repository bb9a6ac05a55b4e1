package sluice.embedded;

import io.netty.buffer.ByteBuf;

/**
 * Items in blocks, their fields, and the order of their last use. The segment is responsible for
 * locks and counters.
 *
 * <pre>
 *   an item is a chain of blocks:
 *   0         4          8          12    16   24      28    32     36            40          42    44
 *  +---------+----------+----------+-----+----+-------+-----+------+-------------+-----------+-----+-----+--- - - -
 *  | next in | newer    | older    |hash |cas |expiry |used |flags |value length |key length |state|tail |key, value
 *  | bucket  |          |          |     |    |        seconds     |             | (2)       | (1) |     |
 *  +---------+----------+----------+-----+----+-------+-----+------+-------------+-----------+-----+-----+--- - - -
 * </pre>
 *
 * <p>An item's number is that of its first block; {@link #NONE} is no item. Times are unsigned
 * seconds since the epoch.
 */
abstract class ItemMemory {
  static final int NONE = BlockArena.NONE;

  /** Set if a client has read this item since it was stored. */
  static final int FETCHED = 1;

  /** Set if it is stale: its value should be replaced. */
  static final int STALE = 2;

  /** Set if a client was told to replace it. */
  static final int WIN_SENT = 4;

  /** Set if the key is printed in base64. */
  static final int ENCODED_KEY = 8;

  static final int NEWER = 4;
  static final int OLDER = 8;
  static final int HASH = 12;
  static final int CAS = 16;
  static final int EXPIRY = 24;
  static final int USED = 28;
  static final int FLAGS = 32;
  static final int VALUE_LENGTH = 36;
  static final int KEY_LENGTH = 40;
  static final int STATE = 42;
  static final int TAIL = 44;
  static final int HEADER = 48;

  final BlockArena arena;
  private int newest = NONE;
  private int oldest = NONE;
  private int crawlHand = NONE;

  ItemMemory(BlockArena arena) {
    this.arena = arena;
  }

  int valueLength(int item) {
    return getInt(item, VALUE_LENGTH);
  }

  int keyLength(int item) {
    return arena.page(item).getShort(arena.position(item) + KEY_LENGTH);
  }

  int flags(int item) {
    return getInt(item, FLAGS);
  }

  long cas(int item) {
    return arena.page(item).getLong(arena.position(item) + CAS);
  }

  void cas(int item, long cas) {
    arena.page(item).putLong(arena.position(item) + CAS, cas);
  }

  /** Second at which the item expires; 0 for never. */
  long expiry(int item) {
    return Integer.toUnsignedLong(getInt(item, EXPIRY));
  }

  void expiry(int item, int expiry) {
    putInt(item, EXPIRY, expiry);
  }

  /** Second of the last use. */
  long lastUse(int item) {
    return Integer.toUnsignedLong(getInt(item, USED));
  }

  int state(int item) {
    return arena.page(item).get(arena.position(item) + STATE);
  }

  void state(int item, int state) {
    arena.page(item).put(arena.position(item) + STATE, (byte) state);
  }

  /** The item's size in memcached, in bytes. */
  long size(int item) {
    return ItemSize.of(keyLength(item), valueLength(item), flags(item));
  }

  /** Appends the item's key. Borrows out. */
  void readKey(int item, ByteBuf out) {
    arena.read(item, HEADER, keyLength(item), out);
  }

  /** Appends the item's value. Borrows out. */
  void readValue(int item, ByteBuf out) {
    arena.read(item, HEADER + keyLength(item), valueLength(item), out);
  }

  /** Overwrites the start of the item's value, which must be at least that long. Borrows source. */
  void writeValue(int item, ByteBuf source, int from, int length) {
    arena.write(item, HEADER + keyLength(item), source, from, length);
  }

  // ---- order of use

  /** The least recently used item, or {@link #NONE}. */
  int oldest() {
    return oldest;
  }

  /** The item used next after this one, or {@link #NONE}. */
  int newer(int item) {
    return getInt(item, NEWER);
  }

  /**
   * The next item for the crawler, which starts at the oldest and begins again after the last;
   * {@link #NONE} without items.
   */
  int nextToCrawl() {
    int item = crawlHand == NONE ? oldest : crawlHand;
    crawlHand = item == NONE ? NONE : newer(item);
    return item;
  }

  /** Moves an item to where it is evicted last. */
  void makeNewest(int item) {
    if (item != newest) {
      unlinkOrder(item);
      linkNewest(item);
    }
  }

  void forgetOrder() {
    newest = NONE;
    oldest = NONE;
    crawlHand = NONE;
  }

  void linkNewest(int item) {
    putInt(item, NEWER, NONE);
    putInt(item, OLDER, newest);
    if (newest != NONE) {
      putInt(newest, NEWER, item);
    }
    newest = item;
    if (oldest == NONE) {
      oldest = item;
    }
  }

  void unlinkOrder(int item) {
    int newer = getInt(item, NEWER);
    int older = getInt(item, OLDER);
    if (crawlHand == item) {
      crawlHand = newer;
    }
    if (newer == NONE) {
      newest = older;
    } else {
      putInt(newer, OLDER, older);
    }
    if (older == NONE) {
      oldest = newer;
    } else {
      putInt(older, NEWER, newer);
    }
  }

  int getInt(int item, int field) {
    return arena.page(item).getInt(arena.position(item) + field);
  }

  void putInt(int item, int field, int value) {
    arena.page(item).putInt(arena.position(item) + field, value);
  }
}
