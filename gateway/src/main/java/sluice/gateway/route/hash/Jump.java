package sluice.gateway.route.hash;

import java.util.List;

/**
 * Jump consistent hash (Lamping and Veach, 2014): no table, and even shares. Members are identified
 * by position. Only at the end of the list can a member be added, removed or re-weighted without
 * moving keys between the others. A member counts as as many buckets as its weight.
 */
final class Jump implements Placement {
  private final Shares shares;
  private final int total;

  Jump(List<Member> members) {
    shares = Shares.inListOrder(members);
    total = shares.total();
  }

  @Override
  public int memberOf(long hash) {
    return shares.memberOf(bucket(Mix.spread((int) hash), total));
  }

  /** The paper's function: the bucket, 0 to buckets - 1, of a 64-bit key. */
  static int bucket(long key, int buckets) {
    long state = key;
    long bucket = -1;
    long next = 0;
    while (next < buckets) {
      bucket = next;
      state = state * 2862933555777941757L + 1;
      next = (long) ((bucket + 1) * ((double) (1L << 31) / (double) ((state >>> 33) + 1)));
    }
    return (int) bucket;
  }
}
