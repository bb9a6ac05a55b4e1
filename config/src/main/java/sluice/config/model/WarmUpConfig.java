package sluice.config.model;

import java.util.List;
import java.util.Optional;

/**
 * Cold pool whose misses are filled from a warm one.
 *
 * @param cold the name of the pool that requests go to
 * @param warm the name of the pool that its misses are read from
 */
public record WarmUpConfig(String cold, String warm) implements PolicyConfig {
  @Override
  public List<String> pools() {
    return List.of(cold, warm);
  }

  @Override
  public Optional<String> ownPool() {
    return Optional.of(cold);
  }
}
