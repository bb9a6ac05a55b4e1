package sluice.config.model;

import java.util.List;
import java.util.Optional;

/**
 * Migration of a share of the keys to another pool.
 *
 * @param to the name of one of {@link Configuration#pools()}
 * @param percent of the keys, at the end of the period if there is one
 * @param period in which the share grows from zero; empty for a constant share
 */
public record MigrateConfig(String to, int percent, Optional<Period> period)
    implements PolicyConfig {
  /** Period in milliseconds since 1970; its start is before its end. */
  public record Period(long fromMillis, long untilMillis) {}

  @Override
  public List<String> pools() {
    return List.of(to);
  }
}
