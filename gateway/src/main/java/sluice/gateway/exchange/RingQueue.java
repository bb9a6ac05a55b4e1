package sluice.gateway.exchange;

import java.util.Arrays;

/**
 * First-in first-out queue of requests or replies that wait: a ring that grows, and shrinks when it
 * is empty. Not thread-safe.
 */
public final class RingQueue<T> {
  private static final int SMALLEST = 16;
  private static final int MOST_KEPT = 1024;

  private Object[] ring = new Object[SMALLEST];
  private int head;
  private int size;

  /** How many wait. */
  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  /** The first, or null. */
  public T peek() {
    return size == 0 ? null : get(0);
  }

  /** The last, or null. */
  public T last() {
    return size == 0 ? null : get(size - 1);
  }

  /** The one at {@code index} from the first. */
  @SuppressWarnings("unchecked") // only add() writes to the ring
  public T get(int index) {
    return (T) ring[(head + index) & (ring.length - 1)];
  }

  /** Where {@code one} is, counted from the first; -1 if it is not here. */
  public int indexOf(T one) {
    for (int i = 0; i < size; i++) {
      if (get(i) == one) {
        return i;
      }
    }
    return -1;
  }

  /** Puts another behind all others. */
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

  /** Takes the first away; the queue must not be empty. */
  public T poll() {
    T first = get(0);
    ring[head] = null;
    head = (head + 1) & (ring.length - 1);
    size--;
    if (size == 0 && ring.length > MOST_KEPT) {
      ring = new Object[SMALLEST];
      head = 0;
    }
    return first;
  }
}
