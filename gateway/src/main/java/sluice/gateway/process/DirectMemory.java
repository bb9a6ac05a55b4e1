package sluice.gateway.process;

import io.netty.util.internal.PlatformDependent;
import java.util.Optional;
import sluice.config.model.Configuration;
import sluice.config.model.PoolConfig;
import sluice.config.model.PoolProtocol;
import sluice.gateway.routing.RoutingGraph;
import sluice.gateway.routing.RuleCaches;

/** Check of a configuration's memory outside the heap against the JVM's limit. */
final class DirectMemory {
  private DirectMemory() {}

  /** The JVM's {@code -XX:MaxDirectMemorySize}, or Netty's own limit instead, in bytes. */
  static long limitBytes() {
    return PlatformDependent.maxDirectMemory();
  }

  /**
   * A message if embedded pools, near caches and {@code process.memory} together exceed limitBytes.
   */
  static Optional<String> shortage(Configuration configuration, long limitBytes) {
    long stores =
        configuration.pools().values().stream()
                .filter(pool -> pool.protocol() == PoolProtocol.EMBEDDED)
                .mapToLong(PoolConfig::sizeBytes)
                .sum()
            + RuleCaches.sizeBytes(configuration);
    return shortage(stores, configuration.process().memoryBytes(), limitBytes);
  }

  /**
   * The same of a configuration that would replace the one in use: if it takes more memory than
   * that one. The stores of removed pools are still there then; they are released later.
   */
  static Optional<String> shortage(RoutingGraph inUse, Configuration following, long limitBytes) {
    Configuration now = inUse.configuration();
    long before = inUse.storeBytes(now) + RuleCaches.sizeBytes(now);
    long stores = inUse.storeBytes(following) + RuleCaches.sizeBytes(following);
    return stores <= before
        ? Optional.empty()
        : shortage(stores, now.process().memoryBytes(), limitBytes);
  }

  private static Optional<String> shortage(long stores, long buffers, long limitBytes) {
    if (stores + buffers <= limitBytes) {
      return Optional.empty();
    }
    return Optional.of(
        "embedded pools and near caches of %d bytes and process.memory of %d bytes need more than the JVM's limit of %d bytes (-XX:MaxDirectMemorySize)"
            .formatted(stores, buffers, limitBytes));
  }
}
