package sluice.gateway.near;

import java.util.List;
import sluice.gateway.exchange.Guard;

/**
 * Near caches that a change concerns, from before it is sent until its client has its answer, or
 * nobody can wait for it any more. What changes is the hash of a key, or one of the others.
 */
public final class Changes implements Guard {
  /** Any keys, all of which are forgotten. */
  public static final long EVERYTHING = -1;

  /** Several keys, for each of which {@link #passing} was called. */
  public static final long SEVERAL = -2;

  private final NearCache[] caches;

  Changes(List<NearCache> caches) {
    this.caches = caches.toArray(NearCache[]::new);
  }

  /** What changes with the key of this hash. */
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
  }

  /** The key of this hash is one of several that are about to be changed. */
  public void passing(int hash) {
    begin(of(hash));
    end(of(hash));
  }
}
