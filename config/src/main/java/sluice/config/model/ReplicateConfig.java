package sluice.config.model;

import java.util.List;
import java.util.Optional;

/**
 * Pools that requests are replicated to.
 *
 * @param pools names of {@link Configuration#pools()}, at least two
 * @param acks number of pools that must acknowledge a change
 * @param reads pools that a read is sent to
 */
public record ReplicateConfig(List<String> pools, Acks acks, Reads reads) implements PolicyConfig {
  /** Takes a copy. */
  public ReplicateConfig {
    pools = List.copyOf(pools);
  }

  @Override
  public Optional<String> ownPool() {
    return Optional.of(pools.get(0));
  }
}
