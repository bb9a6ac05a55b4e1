package sluice.config.model;

import java.util.Optional;

/**
 * Logs of single requests; each is off if it is left out.
 *
 * @param slowMillis requests that take so long or longer are logged
 * @param accessPercent share of all requests that is logged
 */
public record LogsConfig(Optional<Long> slowMillis, Optional<Integer> accessPercent) {
  /** No logs. */
  public static final LogsConfig NONE = new LogsConfig(Optional.empty(), Optional.empty());
}
