package sluice.gateway.request;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * First-in first-out queue of waiting requests or replies: a ring that grows, and shrinks when it
 * is empty. Not thread-safe.
 */
public final class RingQueue<T> {
  private static final int SMALLEST = 16;
  private static final int MOST_KEPT = 1024;
  private static final int MOST_KEPT_IDLE = 256;

  private Object[] ring = new Object[SMALLEST];
  private int head;
  private int size;

  /** Number of elements. */
  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  /** The first element, or null. */
  public @Nullable T peek() {
    return size == 0 ? null : get(0);
  }

  /** The last element, or null. */
  public @Nullable T last() {
    return size == 0 ? null : get(size - 1);
  }

  /** The element at {@code index} from the first. */
  @SuppressWarnings("unchecked") // only add() writes to the ring
  public T get(int index) {
    return (T) ring[(head + index) & (ring.length - 1)];
  }

  /** The index of {@code one} from the first; -1 if it is not in the queue. */
  public int indexOf(T one) {
    for (int i = 0; i < size; i++) {
      if (get(i) == one) {
        return i;
      }
    }
    return -1;
  }

  /** Appends an element. */
  public void add(T another) {
    if (size == ring.length) {
      Object[] larger = Arrays.copyOfRange(ring, head, head + 2 * size);
      System.arraycopy(ring, 0, larger, size - head, head);
      Arrays.fill(larger, size, larger.length, null);
      ring = larger;
      head = 0;
    }
    ring[(head + size++) & (ring.length - 1)] = another;
  }

  /** Removes the first element; the queue must not be empty. */
  public T poll() {
    T first = get(0);
    ring[head] = null;
    head = (head + 1) & (ring.length - 1);
    size--;
    shrink(MOST_KEPT);
    return first;
  }

  /**
   * Shrinks if it is empty. The next burst makes it grow again: to be called at most a few times a
   * second.
   */
  public void shrink() {
    shrink(MOST_KEPT_IDLE);
  }

  private void shrink(int kept) {
    if (size == 0 && ring.length > kept) {
      ring = new Object[SMALLEST];
      head = 0;
    }
  }

  /** Number of elements that it has room for. */
  int room() {
    return ring.length;
  }
}
