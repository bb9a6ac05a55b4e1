package sluice.gateway.metrics;

/**
 * Counters of the results of requests on one event loop: one for each result of an enum. Only that
 * loop's thread counts, which allocates nothing.
 *
 * @param <R> the results
 */
public final class ResultCounters<R extends Enum<R>> {
  private final SingleWriterCounters counters;

  /** Counters that have counted nothing yet, of an enum with results. */
  ResultCounters(Class<R> results) {
    counters = new SingleWriterCounters(results.getEnumConstants().length);
  }

  /** Counts one more. */
  @SuppressWarnings("EnumOrdinal") // only the running process uses the ordinals
  public void count(R result) {
    counters.add(result.ordinal(), 1);
  }

  /** How many so far; from any thread. */
  @SuppressWarnings("EnumOrdinal")
  public long counted(R result) {
    return counters.get(result.ordinal());
  }
}
