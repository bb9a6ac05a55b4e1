package sluice.codecs.buffer;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Stack of objects that wait to be used again. Its owner trims it at intervals, also under steady
 * load: it takes {@link #surplus} objects out and calls {@link #settle}. Not thread-safe.
 */
public final class Spares<T> {
  private static final int SMALLEST = 16;

  private final int most;
  private @Nullable Object[] items = new Object[SMALLEST];
  private int count;
  private int least; // smallest count since the last settle

  /**
   * An empty stack.
   *
   * @param most how many objects are kept at most
   */
  public Spares(int most) {
    this.most = most;
  }

  /** Takes the object that was given last, which the caller then owns; null if there is none. */
  @SuppressWarnings("unchecked") // only give puts one in
  public @Nullable T take() {
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

  /** Keeps an object that nothing refers to any more; false if the stack is full. */
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

  /** Number of objects kept. */
  public int count() {
    return count;
  }

  /** Half of the objects that were unused since the last {@link #settle}. */
  public int surplus() {
    return (least + 1) / 2;
  }

  /** Starts a new measurement of how many objects are needed, and shrinks the array to fit. */
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
