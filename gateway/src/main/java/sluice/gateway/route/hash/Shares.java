package sluice.gateway.route.hash;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Buckets 0 to total - 1, divided among the members side by side, to each as many as its weight.
 * Immutable.
 */
final class Shares {
  private final int[] order;
  private final int[] ends; // exclusive; ascending

  /** Shares of members in the given order, as indexes of the list. */
  Shares(List<Member> members, int[] order) {
    this.order = order.clone();
    ends = new int[order.length];
    long total = 0;
    for (int i = 0; i < order.length; i++) {
      total += members.get(order[i]).weight();
      if (total > Integer.MAX_VALUE) {
        throw new IllegalArgumentException(
            "weights: found a sum of more than " + Integer.MAX_VALUE + ", expected at most that");
      }
      ends[i] = (int) total;
    }
  }

  static Shares inListOrder(List<Member> members) {
    return new Shares(members, IntStream.range(0, members.size()).toArray());
  }

  int total() {
    return ends[ends.length - 1];
  }

  int memberOf(int bucket) {
    int found = Arrays.binarySearch(ends, bucket);
    return order[found >= 0 ? found + 1 : -found - 1];
  }
}
