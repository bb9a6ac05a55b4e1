package sluice.gateway.route.hash;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Distribution with members that joined recently. Each of these gets an increasing share of its
 * keys; the others stay where they would be without it. A key moves once, and no other key moves.
 */
final class SlowStart implements Placement {
  private static final int SHARE_BITS = 16;

  private final Placement all;
  private final Placement grown;
  private final int[] grownMembers; // for each member in grown, its index in all
  private final boolean[] joined;
  private final long[] joinedAt;
  private final long growthNanos;
  private final LongSupplier clock;
  private boolean done; // written by any thread; reading an old value does no harm

  /**
   * @param all distribution over every member
   * @param grown distribution over those that did not join, at least one
   * @param members of all
   * @param joinedAt by member's name, when it joined, in the clock's nanoseconds
   * @param growthNanos how long it takes a member to get all of its keys
   */
  SlowStart(
      Placement all,
      Placement grown,
      List<Member> members,
      Map<String, Long> joinedAt,
      long growthNanos,
      LongSupplier clock) {
    this.all = all;
    this.grown = grown;
    this.growthNanos = growthNanos;
    this.clock = clock;
    joined = new boolean[members.size()];
    this.joinedAt = new long[members.size()];
    grownMembers = new int[members.size()];
    int next = 0;
    for (int i = 0; i < joined.length; i++) {
      Long at = joinedAt.get(members.get(i).name());
      joined[i] = at != null;
      this.joinedAt[i] = at == null ? 0 : at;
      if (at == null) {
        grownMembers[next++] = i;
      }
    }
  }

  @Override
  public int memberOf(long hash) {
    return memberOf(hash, Unpooled.EMPTY_BUFFER, 0, 0);
  }

  @Override
  public int memberOf(long hash, ByteBuf key, int offset, int length) {
    int owner = all.memberOf(hash, key, offset, length);
    if (done || !joined[owner]) {
      return owner;
    }
    long age = clock.getAsLong() - joinedAt[owner];
    if (age >= growthNanos) {
      done = isDone();
      return owner;
    }
    // independent of the hash's position among the owner's
    long draw = Mix.spread((int) hash) >>> (Long.SIZE - SHARE_BITS);
    return draw < ((double) age / growthNanos) * (1 << SHARE_BITS)
        ? owner
        : grownMembers[grown.memberOf(hash, key, offset, length)];
  }

  private boolean isDone() {
    long now = clock.getAsLong();
    for (int i = 0; i < joined.length; i++) {
      if (joined[i] && now - joinedAt[i] < growthNanos) {
        return false;
      }
    }
    return true;
  }
}
