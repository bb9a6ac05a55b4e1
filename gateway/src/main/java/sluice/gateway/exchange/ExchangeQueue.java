package sluice.gateway.exchange;

import java.util.Arrays;

/** Exchanges in order: a ring that grows, and shrinks when it is empty. Not thread-safe. */
public final class ExchangeQueue {
  private static final int SMALLEST = 16;
  private static final int MOST_KEPT = 1024;

  private Exchange[] ring = new Exchange[SMALLEST];
  private int head;
  private int size;

  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  /** The first, or null. */
  public Exchange peek() {
    return size == 0 ? null : ring[head];
  }

  /** The last, or null. */
  public Exchange last() {
    return size == 0 ? null : get(size - 1);
  }

  /** The one at {@code index} from the first. */
  public Exchange get(int index) {
    return ring[(head + index) & (ring.length - 1)];
  }

  /** Puts another in the place of the one at {@code index}. */
  public void set(int index, Exchange exchange) {
    ring[(head + index) & (ring.length - 1)] = exchange;
  }

  /** Where exchange is, counted from the first; -1 if it is not here. */
  public int indexOf(Exchange exchange) {
    for (int i = 0; i < size; i++) {
      if (get(i) == exchange) {
        return i;
      }
    }
    return -1;
  }

  public void add(Exchange exchange) {
    if (size == ring.length) {
      Exchange[] larger = Arrays.copyOfRange(ring, head, head + 2 * size);
      System.arraycopy(ring, 0, larger, size - head, head);
      Arrays.fill(larger, size, larger.length, null);
      ring = larger;
      head = 0;
    }
    ring[(head + size++) & (ring.length - 1)] = exchange;
  }

  /** Takes the first away. */
  public Exchange poll() {
    Exchange first = ring[head];
    ring[head] = null;
    head = (head + 1) & (ring.length - 1);
    size--;
    if (size == 0 && ring.length > MOST_KEPT) {
      ring = new Exchange[SMALLEST];
      head = 0;
    }
    return first;
  }
}
