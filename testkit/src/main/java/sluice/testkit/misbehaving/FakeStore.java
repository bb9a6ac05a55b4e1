package sluice.testkit.misbehaving;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Items of a {@link MisbehavingServer}; one lock, keys as Latin-1 strings, nothing expires. */
final class FakeStore {
  /** Condition for storing: always, for a missing key, for an existing one. */
  enum Mode {
    SET,
    ADD,
    REPLACE
  }

  /** One item. */
  static final class Item {
    private final int flags;
    private final byte[] value;
    private final long cas;
    private final boolean base64;

    Item(int flags, byte[] value, long cas, boolean base64) {
      this.flags = flags;
      this.value = value;
      this.cas = cas;
      this.base64 = base64;
    }

    int flags() {
      return flags;
    }

    byte[] value() {
      return value;
    }

    long cas() {
      return cas;
    }

    /** Whether meta stored it under a base64 key, in which form meta then returns the key. */
    boolean base64() {
      return base64;
    }
  }

  private final Map<String, Item> items = new HashMap<>();
  private final Map<String, Long> counters = new HashMap<>();
  private long lastCas;

  synchronized @Nullable Item get(String key) {
    return items.get(key);
  }

  /** Stores if the mode allows it; null if it does not. */
  synchronized @Nullable Item store(
      Mode mode, String key, int flags, byte[] value, boolean base64) {
    boolean allowed =
        switch (mode) {
          case SET -> true;
          case ADD -> !items.containsKey(key);
          case REPLACE -> items.containsKey(key);
        };
    if (!allowed) {
      return null;
    }
    Item item = new Item(flags, value, ++lastCas, base64);
    items.put(key, item);
    return item;
  }

  /**
   * Changes a number that is kept outside of the items; a number that does not exist begins at
   * initial.
   */
  synchronized long count(String key, long delta, long initial) {
    return counters.merge(key, initial + delta, (number, first) -> number + delta);
  }

  synchronized boolean delete(String key) {
    return items.remove(key) != null;
  }
}
