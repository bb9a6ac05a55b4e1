package sluice.gateway.process;

import io.netty.util.internal.PlatformDependent;
import java.util.Optional;
import sluice.config.model.Configuration;
import sluice.config.model.PoolConfig;
import sluice.config.model.PoolProtocol;
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
    long buffers = configuration.process().memoryBytes();
    if (stores + buffers <= limitBytes) {
      return Optional.empty();
    }
    return Optional.of(
        "embedded pools and near caches of %d bytes and process.memory of %d bytes need more than the JVM's limit of %d bytes (-XX:MaxDirectMemorySize)"
            .formatted(stores, buffers, limitBytes));
  }
}
