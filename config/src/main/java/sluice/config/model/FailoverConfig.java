package sluice.config.model;

import java.util.List;

/**
 * Where a request goes whose server takes none.
 *
 * @param pools names of {@link Configuration#pools()}, in the order in which they are tried
 * @param maxTtlMillis what is written there lives no longer; {@link LimitsConfig#NEVER} if it may
 */
public record FailoverConfig(List<String> pools, long maxTtlMillis) implements PolicyConfig {
  /** Takes a copy. */
  public FailoverConfig {
    pools = List.copyOf(pools);
  }
}
