package sluice.gateway.route.hash;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import sluice.names.HashFunction;

/**
 * Ketama: a circle of 2^32 values on which each member owns points; a key belongs to the first
 * point at or after its hash.
 *
 * <p>A point is the hash of {@code identity-0}, {@code identity-1}, ... There are two schemes. The
 * weighted one is twemproxy's, and libmemcached's if requested: MD5 gives four points at a time,
 * 160 for a member of average weight. The plain one is libmemcached's default: 100 points, each
 * hashed with the key's own function. spymemcached has a mixture: always 160 points, without
 * weights.
 */
final class Continuum implements Placement {
  private static final int WEIGHTED_POINTS = 160;
  private static final int POINTS_PER_DIGEST = 4;
  private static final int PLAIN_POINTS = 100;

  // Ascending; the sign bit is flipped, so that signed order is unsigned order. The last point is
  // followed by padding that a search may read. A hash after the last point belongs to the owner of
  // the first.
  private final int[] points;
  private final int[] owners;

  // The circle, cut into about as many equal arcs as there are points: a search starts in its
  // hash's arc. It takes the same number of steps for every key, and none is a branch. Half of such
  // branches would be mispredicted.
  private final int[] arcStarts; // the first point at or after the arc's start
  private final int arcShift;
  private final int firstStep; // a power of two; the steps together span the fullest arc

  private Continuum(long[] packed, int[] order) {
    Arrays.sort(packed);
    int count = packed.length;
    int bits = 32 - Integer.numberOfLeadingZeros(count);
    arcShift = 32 - bits;
    arcStarts = new int[1 << bits];
    int point = 0;
    int fullest = 1;
    for (int arc = 0; arc < arcStarts.length; arc++) {
      arcStarts[arc] = point;
      while (point < count
          && ((int) (packed[point] >> 32) ^ Integer.MIN_VALUE) >>> arcShift == arc) {
        point++;
      }
      fullest = Math.max(fullest, point - arcStarts[arc]);
    }
    firstStep = Integer.highestOneBit(fullest);
    points = new int[count + 2 * firstStep - 1];
    owners = new int[count + 1];
    for (int i = 0; i < count; i++) {
      points[i] = (int) (packed[i] >> 32);
      owners[i] = order[(int) packed[i]];
    }
    Arrays.fill(points, count, points.length, Integer.MAX_VALUE);
    owners[count] = owners[0];
  }

  /**
   * The continuum that twemproxy builds. It sorts the servers by identity, shorter ones first,
   * which decides the owner of equal points.
   */
  static Continuum twemproxy(List<Member> members) {
    int[] order = twemproxyOrder(members);
    byte[][] identities = new byte[order.length][];
    int[] weights = new int[order.length];
    for (int i = 0; i < order.length; i++) {
      identities[i] = Member.bytes(members.get(order[i]).twemproxyIdentity());
      weights[i] = members.get(order[i]).weight();
    }
    return new Continuum(weightedPoints(identities, weights), order);
  }

  /** The continuum that libmemcached builds with MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED. */
  static Continuum libmemcachedWeighted(List<Member> members) {
    int[] weights = members.stream().mapToInt(Member::weight).toArray();
    return new Continuum(
        weightedPoints(libmemcachedIdentities(members), weights), listOrder(members));
  }

  /**
   * The continuum that libmemcached builds by default: plain until a server of a weight above 1 is
   * added.
   */
  static Continuum libmemcached(List<Member> members, HashFunction function) {
    return members.stream().anyMatch(member -> member.weight() > 1)
        ? libmemcachedWeighted(members)
        : new Continuum(
            plainPoints(libmemcachedIdentities(members), function, PLAIN_POINTS),
            listOrder(members));
  }

  /**
   * The continuum of spymemcached's KetamaNodeLocator. Of equal points, the later server's counts.
   */
  static Continuum spymemcached(List<Member> members, HashFunction function) {
    int[] order = listOrder(members);
    byte[][] identities = new byte[order.length][];
    int[] weights = new int[order.length];
    for (int i = 0; i < order.length; i++) {
      order[i] = order.length - 1 - i;
      identities[i] = Member.bytes(members.get(order[i]).clientIdentity());
      weights[i] = members.get(order[i]).weight();
    }
    int[] each = new int[order.length];
    Arrays.fill(each, WEIGHTED_POINTS / POINTS_PER_DIGEST);
    long[] points =
        IntStream.of(weights).anyMatch(weight -> weight > 1)
            ? weightedPoints(identities, weights)
            : function == HashFunction.MD5
                ? digestPoints(identities, each)
                : plainPoints(identities, function, WEIGHTED_POINTS);
    return new Continuum(points, order);
  }

  /** Indexes of members in twemproxy's order. */
  static int[] twemproxyOrder(List<Member> members) {
    byte[][] identities =
        members.stream()
            .map(member -> Member.bytes(member.twemproxyIdentity()))
            .toArray(byte[][]::new);
    Comparator<byte[]> byLength = Comparator.comparingInt(identity -> identity.length);
    Comparator<byte[]> shortestFirst = byLength.thenComparing(Arrays::compareUnsigned);
    return IntStream.range(0, members.size())
        .boxed()
        .sorted(Comparator.comparing(i -> identities[i], shortestFirst))
        .mapToInt(Integer::intValue)
        .toArray();
  }

  private static int[] listOrder(List<Member> members) {
    return IntStream.range(0, members.size()).toArray();
  }

  private static byte[][] libmemcachedIdentities(List<Member> members) {
    return members.stream()
        .map(member -> Member.bytes(member.libmemcachedIdentity()))
        .toArray(byte[][]::new);
  }

  private static long[] weightedPoints(byte[][] identities, int[] weights) {
    long totalWeight = IntStream.of(weights).asLongStream().sum();
    int[] digests = new int[weights.length];
    for (int i = 0; i < weights.length; i++) {
      // In single precision, step by step as in the C code: the rounding decides how many points a
      // server gets.
      float share = (float) weights[i] / (float) totalWeight;
      digests[i] =
          (int)
              Math.floor(
                  (float)
                      (share * WEIGHTED_POINTS / POINTS_PER_DIGEST * (float) weights.length
                          + 0.0000000001));
    }
    return digestPoints(identities, digests);
  }

  private static long[] digestPoints(byte[][] identities, int[] digests) {
    long[] packed = new long[IntStream.of(digests).sum() * POINTS_PER_DIGEST];
    int at = 0;
    for (int i = 0; i < identities.length; i++) {
      for (int n = 0; n < digests[i]; n++) {
        ByteBuf text = pointText(identities[i], n);
        for (int word = 0; word < POINTS_PER_DIGEST; word++) {
          packed[at++] = pack(Md5.word(text, 0, text.readableBytes(), word), i);
        }
      }
    }
    return packed;
  }

  private static long[] plainPoints(byte[][] identities, HashFunction function, int each) {
    long[] packed = new long[identities.length * each];
    int at = 0;
    for (int i = 0; i < identities.length; i++) {
      for (int n = 0; n < each; n++) {
        ByteBuf text = pointText(identities[i], n);
        packed[at++] = pack(KeyHashes.hash(function, text, 0, text.readableBytes()), i);
      }
    }
    return packed;
  }

  private static ByteBuf pointText(byte[] identity, int n) {
    return Unpooled.wrappedBuffer(identity, Member.bytes("-" + n));
  }

  /** A key that sorts by point, unsigned, then by the member's position. */
  private static long pack(int point, int place) {
    return ((long) (point ^ Integer.MIN_VALUE) << 32) | place;
  }

  @Override
  public int memberOf(long hash) {
    int wanted = (int) hash ^ Integer.MIN_VALUE;
    int low = arcStarts[(int) hash >>> arcShift];
    for (int step = firstStep; step > 0; step >>= 1) {
      // all ones if the point is before the hash
      long before = ((long) points[low + step - 1] - wanted) >> 63;
      low += step & (int) before;
    }
    return owners[low];
  }
}
