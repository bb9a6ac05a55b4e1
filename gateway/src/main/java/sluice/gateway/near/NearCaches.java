package sluice.gateway.near;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Near caches of the process, according to the configuration in use. A change by any client affects
 * all caches of the pools that it goes to, independent of the rule.
 */
public final class NearCaches {
  /** The caches of one configuration, by the pools that they read from. */
  public static final class Current {
    private final NearCaches owner;
    private final Map<NearCache, Set<String>> pools;
    private final Changes none;
    private final Changes all;

    private Current(NearCaches owner, Map<NearCache, Set<String>> pools) {
      this.owner = owner;
      this.pools = Map.copyOf(pools);
      none = new Changes(List.of(), this::others);
      all = new Changes(List.copyOf(pools.keySet()), this::others);
    }

    /** The caches that a change of these pools affects; null for none. */
    public @Nullable Changes of(Set<String> changed) {
      List<NearCache> concerned =
          pools.entrySet().stream()
              .filter(entry -> entry.getValue().stream().anyMatch(changed::contains))
              .map(Map.Entry::getKey)
              .toList();
      return concerned.isEmpty() ? null : new Changes(concerned, this::others);
    }

    /** The caches that a change of any pool affects; null for none. */
    public @Nullable Changes all() {
      return pools.isEmpty() ? null : all;
    }

    /**
     * A change that affects none of these caches, but lasts so long that there may be others before
     * it ends.
     */
    public Changes lasting() {
      return none;
    }

    /** All caches in use, if they are others than these. */
    private @Nullable Changes others() {
      Current now = owner.current;
      return now == this ? null : now.all;
    }
  }

  private volatile Current current = new Current(this, Map.of());

  /** The caches in use; from any thread. */
  public Current current() {
    return current;
  }

  /**
   * Replaces the caches; those that are no longer among them are closed. From any thread.
   *
   * @param pools the names of the pools that each reads from
   */
  public synchronized void follow(Map<NearCache, Set<String>> pools) {
    Set<NearCache> before = new HashSet<>(current.pools.keySet());
    if (before.equals(pools.keySet()) && current.pools.equals(pools)) {
      return;
    }
    current = new Current(this, pools);
    before.removeAll(pools.keySet());
    before.forEach(NearCache::close);
  }
}
