package sluice.gateway.near;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import sluice.gateway.request.InFlightWatcher;

/**
 * Near caches that a change affects, from before it is sent until its client has the reply, or can
 * no longer wait for it. A change is identified by the hash of a key, or by one of the constants.
 *
 * <p>If other caches are in use when the change ends, they may have kept the replaced value, and
 * drop it then.
 */
public final class Changes implements InFlightWatcher {
  /** A change of any keys: the caches drop everything. */
  public static final long EVERYTHING = -1;

  /** A change of several keys; {@link #passing} was called for each. */
  public static final long SEVERAL = -2;

  private final NearCache[] caches;
  private final Supplier<@Nullable Changes> others;

  /**
   * Caches of one configuration.
   *
   * @param others the caches in use; null if that configuration still is in use
   */
  Changes(List<NearCache> caches, Supplier<@Nullable Changes> others) {
    this.caches = caches.toArray(NearCache[]::new);
    this.others = others;
  }

  /** The change of the key with this hash. */
  public static long of(int hash) {
    return Integer.toUnsignedLong(hash);
  }

  @Override
  public void begin(long what) {
    for (NearCache cache : caches) {
      if (what < 0) {
        cache.beginAll(what == EVERYTHING);
      } else {
        cache.begin((int) what);
      }
    }
  }

  @Override
  public void end(long what) {
    for (NearCache cache : caches) {
      if (what < 0) {
        cache.endAll();
      } else {
        cache.end((int) what);
      }
    }
    Changes now = others.get();
    if (now != null) {
      now.pass(what);
    }
  }

  /** Drops what a change has replaced that began before these caches came into use. */
  private void pass(long what) {
    for (NearCache cache : caches) {
      if (what < 0) {
        cache.beginAll(true); // the keys are not known any more
        cache.endAll();
      } else {
        cache.begin((int) what);
        cache.end((int) what);
      }
    }
  }

  /** Notes that the key with this hash is one of several being changed. */
  public void passing(int hash) {
    begin(of(hash));
    end(of(hash));
  }
}
