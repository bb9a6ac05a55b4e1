package sluice.ring;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

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
  private static final String USAGE =
      """
      usage: ring/workload [--nodes HOST:PORT,HOST:PORT] [--rows 10000] [--size 1024] [--compressible 50]
                           [--parallel 32] [--level ALL] [--rounds 3]
      Writes by the first of the nodes of a ring that is running, or to two nodes of its own behind a
      relay. Sizes are bytes, compressible is the percentage of a value that repeats.
      """;

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

  public static void main(String[] args) throws Exception {
    Map<String, String> options = new HashMap<>();
    for (int i = 0; i < args.length; i += 2) {
      if (!args[i].startsWith("--") || i + 1 == args.length) {
        System.err.print(USAGE);
        System.exit(2);
      }
      options.put(args[i].substring(2), args[i + 1]);
    }
    String nodes = options.remove("nodes");
    int rounds = Integer.parseInt(take(options, "rounds", "3"));
    Workload workload =
        new Workload(
            Integer.parseInt(take(options, "rows", "10000")),
            Integer.parseInt(take(options, "size", "1024")),
            Integer.parseInt(take(options, "compressible", "50")),
            Integer.parseInt(take(options, "parallel", "32")),
            DefaultConsistencyLevel.valueOf(take(options, "level", "ALL")));
    if (!options.isEmpty()) {
      System.err.print(USAGE);
      System.exit(2);
    }
    if (nodes != null) {
      List<Coordinator> coordinators =
          Stream.of(nodes.split(",")).map(Workload::address).map(Coordinator::new).toList();
      workload.print(coordinators, rounds);
      coordinators.forEach(Coordinator::close);
      return;
    }
    CassandraRelease release = CassandraRelease.underTest().findFirst().orElseThrow();
    try (Ring ring = Ring.behind(release, Ring.newDirectory("workload"), Relay::new)) {
      ring.form(Framing.SAME);
      workload.print(List.of(ring.coordinator(0), ring.coordinator(1)), rounds);
    }
  }

  private static String take(Map<String, String> options, String name, String otherwise) {
    String value = options.remove(name);
    return value == null ? otherwise : value;
  }

  private static InetSocketAddress address(String node) {
    int colon = node.lastIndexOf(':');
    return new InetSocketAddress(
        node.substring(0, colon), Integer.parseInt(node.substring(colon + 1)));
  }

  private void print(List<Coordinator> nodes, int rounds) {
    prepare(nodes);
    for (int round = 0; round < rounds; round++) {
      System.out.println(run(nodes.get(0)));
    }
  }
}
