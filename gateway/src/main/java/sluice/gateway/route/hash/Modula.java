package sluice.gateway.route.hash;

import java.util.List;

/**
 * Distribution by the remainder of the hash: even shares, but a new server moves nearly all keys.
 */
final class Modula implements Placement {
  private final Shares shares;
  private final int total;

  private Modula(Shares shares) {
    this.shares = shares;
    this.total = shares.total();
  }

  /** twemproxy's variant: members in its order, each as often as its weight. */
  static Modula twemproxy(List<Member> members) {
    return new Modula(new Shares(members, Continuum.twemproxyOrder(members)));
  }

  /** libmemcached's variant: members as listed, weights ignored. */
  static Placement libmemcached(List<Member> members) {
    int count = members.size();
    return hash -> Integer.remainderUnsigned((int) hash, count);
  }

  @Override
  public int memberOf(long hash) {
    return shares.memberOf(Integer.remainderUnsigned((int) hash, total));
  }
}
