package sluice.gateway.near;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The near caches of the process, as the configuration that is followed has them. A change that any
 * client makes concerns all that read from a pool it goes to, whatever rule led it there.
 */
public final class NearCaches {
  /** What a configuration has, by the pools that it reads from. */
  public static final class Current {
    private final Map<NearCache, Set<String>> pools;
    private final Changes all;

    private Current(Map<NearCache, Set<String>> pools) {
      this.pools = Map.copyOf(pools);
      this.all = pools.isEmpty() ? null : new Changes(List.copyOf(pools.keySet()));
    }

    /** What a change that goes to any of these pools concerns; null if nothing. */
    public Changes of(Set<String> changed) {
      List<NearCache> concerned =
          pools.entrySet().stream()
              .filter(entry -> entry.getValue().stream().anyMatch(changed::contains))
              .map(Map.Entry::getKey)
              .toList();
      return concerned.isEmpty() ? null : new Changes(concerned);
    }

    /** What a change of any pool's keys concerns; null if nothing. */
    public Changes all() {
      return all;
    }
  }

  private volatile Current current = new Current(Map.of());

  /** What there is now; from any thread. */
  public Current current() {
    return current;
  }

  /**
   * From now on these are the caches; those that are not among them are closed. From any thread.
   *
   * @param pools the names of those that each reads from
   */
  public synchronized void follow(Map<NearCache, Set<String>> pools) {
    Set<NearCache> before = new HashSet<>(current.pools.keySet());
    if (before.equals(pools.keySet()) && current.pools.equals(pools)) {
      return;
    }
    current = new Current(pools);
    before.removeAll(pools.keySet());
    before.forEach(NearCache::close);
  }
}
