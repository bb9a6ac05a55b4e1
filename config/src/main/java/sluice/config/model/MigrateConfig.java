package sluice.config.model;

import java.util.List;
import java.util.Optional;

/**
 * A share of the keys that goes to another pool.
 *
 * @param to the name of one of {@link Configuration#pools()}
 * @param percent of the keys, at the end of the period if there is one
 * @param period in which the share grows from nothing; empty if it is as it is
 */
public record MigrateConfig(String to, int percent, Optional<Period> period)
    implements PolicyConfig {
  /** In milliseconds since 1970; the first is before the second. */
  public record Period(long fromMillis, long untilMillis) {}

  @Override
  public List<String> pools() {
    return List.of(to);
  }
}
