package sluice.gateway.route;

import io.netty.buffer.ByteBuf;
import java.util.function.LongSupplier;
import sluice.codecs.buffer.KeyHash;

/**
 * Migration of a share of a pool's keys to another pool. The share is constant, or grows from zero
 * over a period. A key that has moved does not move back. Immutable.
 */
public final class Migration {
  private static final int PARTS = 1 << 20;

  private final int pool;
  private final int percent;
  private final long fromMillis;
  private final long untilMillis;
  private final LongSupplier clock;

  /**
   * A migration.
   *
   * @param pool the index of the pool that keys move to
   * @param percent of the keys
   * @param fromMillis when the share begins to grow, since 1970
   * @param untilMillis when it has grown; 0 for a constant share
   * @param clock milliseconds since 1970; keys do not move back unless it goes back
   */
  public Migration(int pool, int percent, long fromMillis, long untilMillis, LongSupplier clock) {
    this.pool = pool;
    this.percent = percent;
    this.fromMillis = fromMillis;
    this.untilMillis = untilMillis;
    this.clock = clock;
  }

  /** The index of the pool that keys move to. */
  public int pool() {
    return pool;
  }

  /** Whether the key [from, to) has moved. Borrows key. */
  public boolean hasMoved(ByteBuf key, int from, int to) {
    long hash = KeyHash.of(key, from, to);
    // The pools' rings use another hash: this moves the same share of each server's keys.
    int place = (int) ((hash ^ (hash >>> 32)) & (PARTS - 1));
    return place < share() * PARTS;
  }

  private double share() {
    double full = percent / 100.0;
    if (untilMillis == 0) {
      return full;
    }
    double passed = (double) (clock.getAsLong() - fromMillis) / (untilMillis - fromMillis);
    return full * Math.max(0, Math.min(1, passed));
  }
}
