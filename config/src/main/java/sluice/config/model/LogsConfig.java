package sluice.config.model;

import java.util.Optional;

/**
 * Logs of individual requests; an absent one is off.
 *
 * @param slowMillis requests that take at least this long are logged
 * @param accessPercent share of all requests that is logged
 */
public record LogsConfig(Optional<Long> slowMillis, Optional<Integer> accessPercent) {
  /** No logs. */
  public static final LogsConfig NONE = new LogsConfig(Optional.empty(), Optional.empty());
}
