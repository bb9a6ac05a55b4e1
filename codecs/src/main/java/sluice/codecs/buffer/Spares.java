package sluice.codecs.buffer;

import java.util.Arrays;

/**
 * Objects that wait to be used again, the last one given first. Whoever has it takes those away
 * that nobody needed for a while, also under steady load: at intervals, it takes as many as are
 * {@link #surplus}, and says {@link #settle}. Not thread-safe.
 */
public final class Spares<T> {
  private static final int SMALLEST = 16;

  private final int most;
  private Object[] items = new Object[SMALLEST];
  private int count;
  private int least; // since it was settled

  /**
   * A pool without any.
   *
   * @param most how many are kept at most
   */
  public Spares(int most) {
    this.most = most;
  }

  /** The one that was given last, which is the caller's now; null if there is none. */
  @SuppressWarnings("unchecked") // only give puts one in
  public T take() {
    if (count == 0) {
      return null;
    }
    T taken = (T) items[--count];
    items[count] = null;
    if (count < least) {
      least = count;
    }
    return taken;
  }

  /** Keeps an object that nobody refers to any more; false if there are enough. */
  public boolean give(T free) {
    if (count == most) {
      return false;
    }
    if (count == items.length) {
      items = Arrays.copyOf(items, Math.min(most, 2 * count));
    }
    items[count++] = free;
    return true;
  }

  /** How many there are. */
  public int count() {
    return count;
  }

  /** Half of those that nobody has needed since the last {@link #settle}. */
  public int surplus() {
    return (least + 1) / 2;
  }

  /** Begins to see anew how many are needed, and gives back the room of those that are gone. */
  public void settle() {
    least = count;
    int length = items.length;
    while (length > SMALLEST && count <= length / 4) {
      length /= 2;
    }
    if (length < items.length) {
      items = Arrays.copyOf(items, length);
    }
  }
}
