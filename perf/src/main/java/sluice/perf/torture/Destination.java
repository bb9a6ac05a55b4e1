package sluice.perf.torture;

import java.util.List;

/**
 * Destination of a write of one key, by the rules of a {@link Setting}.
 *
 * @param pools for each pool the possible places of the write, one of them with the item: where the
 *     key belongs, and where it may be instead; most have one place
 * @param needed number of pools that must have answered; one of them must have carried it out
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
