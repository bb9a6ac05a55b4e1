package sluice.config.model;

import java.util.List;

/**
 * Hedging: a read that is not answered in time is also sent to another pool, and the first answer
 * is used.
 *
 * @param to the name of one of {@link Configuration#pools()}
 * @param budget the largest share of reads that may be hedged, 0 to 1
 */
public record HedgeConfig(String to, After after, double budget) implements PolicyConfig {
  /**
   * Delay after which a read is also sent to the other pool.
   *
   * @param millis a fixed time; 0 for a percentile
   * @param percentile of the pool's recent response times, 1 to 99; 0 for a fixed time
   */
  public record After(long millis, int percentile) {}

  @Override
  public List<String> pools() {
    return List.of(to);
  }
}
