package sluice.ring;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import java.util.ArrayList;
import java.util.List;

/** Rows of one table that were written and must be read back equal, by whomever and whenever. */
final class Rows {

  // Few enough that large values do not fill the heap of a small node.
  private static final int PARALLEL = 8;

  private record Written(long key, int length, int compressiblePercent) {}

  private final String table;
  private final List<Written> written = new ArrayList<>();
  private long nextKey;

  Rows(String table) {
    this.table = table;
  }

  /** Makes the table; all nodes know it afterwards. */
  void create(Ring ring) {
    ring.change(0, "CREATE TABLE " + table + " (k bigint PRIMARY KEY, v blob)");
  }

  /** Writes rows with new keys, every other one of random bytes, the rest mostly repeating. */
  void write(Coordinator coordinator, ConsistencyLevel level, int count, int length) {
    long from = nextKey;
    nextKey += count;
    InFlight.all(
        from,
        nextKey,
        PARALLEL,
        key -> {
          int compressible = key % 2 == 0 ? 0 : 80;
          return coordinator
              .askAsync(
                  level,
                  "INSERT INTO " + table + " (k, v) VALUES (?, ?)",
                  key,
                  Values.of(key, length, compressible))
              .thenRun(() -> keep(new Written(key, length, compressible)));
        });
  }

  private synchronized void keep(Written row) {
    written.add(row);
  }

  /** Reads every row and fails if one is not what was written. */
  void verify(Coordinator coordinator, ConsistencyLevel level) {
    InFlight.all(
        0,
        written.size(),
        PARALLEL,
        index -> {
          Written row = written.get((int) index);
          return coordinator
              .askAsync(level, "SELECT v FROM " + table + " WHERE k = ?", row.key())
              .thenAccept(result -> compare(row, result));
        });
  }

  private void compare(Written row, AsyncResultSet result) {
    Row found = result.one();
    assertThat(found).as("%s: row of %s", table, row).isNotNull();
    assertThat(
            Values.of(row.key(), row.length(), row.compressiblePercent())
                .equals(found.getByteBuffer("v")))
        .as("%s: value of %s is as written", table, row)
        .isTrue();
  }

  /** Removes all rows. */
  void truncate(Coordinator coordinator) {
    coordinator.ask(ConsistencyLevel.ALL, "TRUNCATE " + table);
    written.clear();
  }

  /** Fails if the table has a row on any node. */
  void verifyEmpty(Coordinator coordinator) {
    assertThat(coordinator.ask(ConsistencyLevel.ALL, "SELECT k FROM " + table + " LIMIT 10"))
        .as("rows of %s", table)
        .isEmpty();
  }
}
