package sluice.config.model;

import java.util.List;

/**
 * Reads that are not answered in time are also sent to another pool, and the first answer is taken.
 *
 * @param to the name of one of {@link Configuration#pools()}
 * @param budget the share of the reads that may be, 0 to 1
 */
public record HedgeConfig(String to, After after, double budget) implements PolicyConfig {
  /**
   * The time after which a read is sent to the other pool, too.
   *
   * @param millis a fixed time; 0 for a percentile
   * @param percentile of the times in which the pool has answered recently, 1 to 99; 0 for a fixed
   *     time
   */
  public record After(long millis, int percentile) {}

  @Override
  public List<String> pools() {
    return List.of(to);
  }
}
