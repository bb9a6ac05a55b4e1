package sluice.config.model;

import java.util.List;
import java.util.Optional;

/**
 * Pools that requests go to at once.
 *
 * @param pools names of {@link Configuration#pools()}, at least two
 * @param acks how many must have acknowledged a change
 * @param reads which of them reads ask
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
