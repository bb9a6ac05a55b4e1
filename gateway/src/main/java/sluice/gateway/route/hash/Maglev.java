package sluice.gateway.route.hash;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import sluice.names.Distribution;

/**
 * Maglev (Eisenbud et al., NSDI 2016): a table that the members fill in turn, each along its own
 * permutation; a lookup is one read. Shares differ by about one slot. A change of members also
 * moves a few keys between the others.
 *
 * <p>A member of a lower weight skips turns. The order of the list does not matter.
 */
final class Maglev implements Placement {
  /**
   * The paper's table sizes, both prime; a hundred slots for each member keep shares within a
   * percent.
   */
  private static final int SMALL_TABLE = 65_537;

  private static final int LARGE_TABLE = 655_373;
  private static final int SLOTS_PER_MEMBER = 100;
  private static final char FREE = Character.MAX_VALUE;

  private final char[] table;

  Maglev(List<Member> members) {
    if (members.size() > Distribution.MOST_IN_MAGLEV) {
      throw new IllegalArgumentException(
          "servers: found "
              + members.size()
              + ", expected at most "
              + Distribution.MOST_IN_MAGLEV
              + " with maglev");
    }
    table = new char[members.size() * SLOTS_PER_MEMBER <= SMALL_TABLE ? SMALL_TABLE : LARGE_TABLE];
    Arrays.fill(table, FREE);
    fill(members);
  }

  private void fill(List<Member> members) {
    int[] order =
        IntStream.range(0, members.size())
            .boxed()
            .sorted(Comparator.comparing(i -> members.get(i).name()))
            .mapToInt(Integer::intValue)
            .toArray();
    int size = table.length;
    int[] position = new int[order.length];
    int[] step = new int[order.length];
    for (int i = 0; i < order.length; i++) {
      String name = members.get(order[i]).name();
      position[i] = (int) Long.remainderUnsigned(Mix.nameHash(name, 0), size);
      step[i] = (int) Long.remainderUnsigned(Mix.nameHash(name, 1), size - 1L) + 1;
    }
    int heaviest = members.stream().mapToInt(Member::weight).max().orElseThrow();
    long[] credit = new long[order.length];
    int filled = 0;
    while (true) {
      for (int i = 0; i < order.length; i++) {
        credit[i] += members.get(order[i]).weight();
        if (credit[i] < heaviest) {
          continue;
        }
        credit[i] -= heaviest;
        while (table[position[i]] != FREE) {
          position[i] = (position[i] + step[i]) % size;
        }
        table[position[i]] = (char) order[i];
        if (++filled == size) {
          return;
        }
      }
    }
  }

  @Override
  public int memberOf(long hash) {
    return table[(int) (((Mix.spread((int) hash) >>> 32) * table.length) >>> 32)];
  }
}
