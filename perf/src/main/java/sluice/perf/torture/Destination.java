package sluice.perf.torture;

import java.util.List;

/**
 * Where a write of one key has to go, by the rules of a {@link Setting}.
 *
 * @param pools for each pool the places of which one is to have it: where the key belongs, and
 *     where it may be instead; most have one place
 * @param needed how many of the pools must have said what became of it; one of them must have done
 *     it
 * @param ignoredFlags bits of the flags that are the gateway's
 */
record Destination(List<List<Place>> pools, int needed, int ignoredFlags) {
  /** A server, and what it knows the key by. */
  record Place(int server, String key) {}

  /** Where the key is while all servers are well: on one server of each pool. */
  List<Place> home() {
    return pools.stream().map(places -> places.get(0)).toList();
  }
}
