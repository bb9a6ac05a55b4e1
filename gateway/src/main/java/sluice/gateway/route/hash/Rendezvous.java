package sluice.gateway.route.hash;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rendezvous hashing, or highest random weight: every member draws a number for the key, and the
 * best one wins. A change therefore moves exactly the keys that the changed member wins or loses,
 * at any position in the list. Costs a step per member; meant for tens of servers.
 *
 * <p>With weights w the smallest -ln(u) / w wins, u being the draw in (0, 1). That gives each
 * member its exact share (Schindelhauer and Schomaker, 2005). Equal weights need no logarithm,
 * because then the largest draw wins.
 */
final class Rendezvous implements Placement {
  private static final double UNIT = 0x1p-53;

  private final long[] names;
  private final double @Nullable [] weights; // null if all are equal

  Rendezvous(List<Member> members) {
    names = members.stream().mapToLong(member -> Mix.nameHash(member.name(), 0)).toArray();
    boolean equal = members.stream().mapToInt(Member::weight).distinct().count() == 1;
    weights = equal ? null : members.stream().mapToDouble(Member::weight).toArray();
  }

  @Override
  public int memberOf(long hash) {
    long key = Mix.spread((int) hash);
    return weights == null ? largestDraw(key) : smallestCost(key, weights);
  }

  private int largestDraw(long key) {
    int best = 0;
    long bestDraw = -1;
    for (int i = 0; i < names.length; i++) {
      long draw = draw(key, i);
      if (draw > bestDraw) {
        best = i;
        bestDraw = draw;
      }
    }
    return best;
  }

  private int smallestCost(long key, double[] weights) {
    int best = 0;
    double bestCost = Double.POSITIVE_INFINITY;
    for (int i = 0; i < names.length; i++) {
      // StrictMath, because instances on all machines must agree
      double cost = -StrictMath.log((draw(key, i) + 0.5) * UNIT) / weights[i];
      if (cost < bestCost) {
        best = i;
        bestCost = cost;
      }
    }
    return best;
  }

  /** 53 bits, the precision of a double. */
  private long draw(long key, int member) {
    return Mix.mix(key ^ names[member]) >>> 11;
  }
}
