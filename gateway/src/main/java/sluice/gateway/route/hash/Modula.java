package sluice.gateway.route.hash;

import java.util.List;

/**
 * The remainder of the hash picks the member: even shares, but a new server moves nearly all keys.
 */
final class Modula implements Placement {
  private final Shares shares;
  private final int total;

  private Modula(Shares shares) {
    this.shares = shares;
    this.total = shares.total();
  }

  /** As twemproxy: members sorted as it sorts them, each as often as its weight says. */
  static Modula twemproxy(List<Member> members) {
    return new Modula(new Shares(members, Continuum.twemproxyOrder(members)));
  }

  /** As libmemcached: members as listed, weights ignored. */
  static Placement libmemcached(List<Member> members) {
    int count = members.size();
    return hash -> Integer.remainderUnsigned((int) hash, count);
  }

  @Override
  public int memberOf(long hash) {
    return shares.memberOf(Integer.remainderUnsigned((int) hash, total));
  }
}
