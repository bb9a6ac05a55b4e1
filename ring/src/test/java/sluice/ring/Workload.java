package sluice.ring;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Writes of one size at one consistency level, as fast as a number of them at a time get through.
 *
 * @param rows how many
 * @param length of a value, in bytes
 * @param compressiblePercent see {@link Values#of}
 * @param parallel how many are under way at the same time
 * @param level what a node has to wait for
 */
record Workload(
    int rows, int length, int compressiblePercent, int parallel, ConsistencyLevel level) {

  private static final String TABLE = Ring.KEYSPACE + ".workload";

  /**
   * How long they took.
   *
   * @param nanos from the first request to the last answer
   * @param sorted the time of each write, in nanoseconds, the shortest first
   */
  record Result(Workload workload, long nanos, long[] sorted) {

    double rowsPerSecond() {
      return workload.rows * (double) TimeUnit.SECONDS.toNanos(1) / nanos;
    }

    double mebibytesPerSecond() {
      return rowsPerSecond() * workload.length / (1 << 20);
    }

    /** The time within which this part of the writes was answered, in milliseconds. */
    double millis(double quantile) {
      return sorted[(int) (quantile * (sorted.length - 1))] / 1e6;
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%d rows of %d bytes, %d %% compressible, %d at a time, %s: %.0f rows/s, %.2f MiB/s,"
              + " p50 %.2f ms, p99 %.2f ms, max %.2f ms",
          workload.rows,
          workload.length,
          workload.compressiblePercent,
          workload.parallel,
          workload.level,
          rowsPerSecond(),
          mebibytesPerSecond(),
          millis(0.5),
          millis(0.99),
          millis(1));
    }
  }

  /** Makes the table if it is not there; the nodes are all of the ring's. */
  static void prepare(List<Coordinator> nodes) {
    Coordinator.change(
        nodes,
        "CREATE KEYSPACE IF NOT EXISTS "
            + Ring.KEYSPACE
            + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 2}");
    Coordinator.change(
        nodes, "CREATE TABLE IF NOT EXISTS " + TABLE + " (k bigint PRIMARY KEY, v blob)");
  }

  /** Writes all rows; fails if one write does. */
  Result run(Coordinator coordinator) {
    long[] took = new long[rows];
    long start = System.nanoTime();
    InFlight.all(
        0,
        rows,
        parallel,
        key -> {
          long sent = System.nanoTime();
          return coordinator
              .askAsync(
                  level,
                  "INSERT INTO " + TABLE + " (k, v) VALUES (?, ?)",
                  key,
                  Values.of(key, length, compressiblePercent))
              .thenRun(() -> took[(int) key] = System.nanoTime() - sent);
        });
    long nanos = System.nanoTime() - start;
    Arrays.sort(took);
    return new Result(this, nanos, took);
  }
}
