package sluice.perf.simulation;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The buckets of each gateway. */
final class Buckets {
  private final List<Limit> limits;
  private final Map<String, List<Bucket>> buckets = new HashMap<>(); // by gateway

  /** Buckets for these limits. */
  Buckets(List<Limit> limits) {
    this.limits = limits;
  }

  /** Those of a gateway's route. */
  List<Bucket> of(String gateway, String route) {
    return of(gateway).stream().filter(one -> one.limit().route().equals(route)).toList();
  }

  /** Those of a gateway. */
  List<Bucket> of(String gateway) {
    return buckets.computeIfAbsent(gateway, unused -> limits.stream().map(Bucket::new).toList());
  }

  /** A gateway starts: its buckets are full. */
  void restart(String gateway, long now) {
    of(gateway).forEach(bucket -> bucket.restart(now));
  }
}
