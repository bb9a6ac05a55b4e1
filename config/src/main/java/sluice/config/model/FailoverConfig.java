package sluice.config.model;

import java.util.List;

/**
 * Failover of requests whose server accepts no requests.
 *
 * @param pools names of {@link Configuration#pools()}, in the order in which they are tried
 * @param maxTtlMillis the longest time to live of items written there; {@link LimitsConfig#NEVER}
 *     for no bound
 */
public record FailoverConfig(List<String> pools, long maxTtlMillis) implements PolicyConfig {
  /** Takes a copy. */
  public FailoverConfig {
    pools = List.copyOf(pools);
  }
}
