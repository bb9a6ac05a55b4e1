package sluice.ring;

import static com.datastax.oss.driver.api.core.ConsistencyLevel.ALL;
import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.cql.Row;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;

/**
 * Writes and reads at ALL that go on all the time, small and large, by either node. A request may
 * fail only if something was down at a moment of it.
 */
final class Traffic implements AutoCloseable {

  private static final String TABLE = Ring.KEYSPACE + ".traffic";
  private static final Duration PAUSE = Duration.ofMillis(20);
  private static final int SMALL = 200;
  private static final int LARGE = 100_000;

  private final Ring ring;
  private final Thread thread = new Thread(this::run, "traffic");
  private final ConcurrentLinkedQueue<Long> acknowledged = new ConcurrentLinkedQueue<>();
  private final List<Throwable> failures = new CopyOnWriteArrayList<>();
  private volatile boolean running = true;

  private Traffic(Ring ring) {
    this.ring = ring;
  }

  /** Makes its table and begins. */
  static Traffic start(Ring ring) {
    ring.change(0, "CREATE TABLE " + TABLE + " (k bigint PRIMARY KEY, v blob)");
    Traffic traffic = new Traffic(ring);
    traffic.thread.start();
    return traffic;
  }

  private void run() {
    for (long key = 0; running; key++) {
      int era = ring.era();
      Coordinator writer = ring.coordinator((int) (key % 2));
      Coordinator reader = ring.coordinator((int) ((key + 1) % 2));
      if (writer != null && reader != null) {
        try {
          write(writer, key);
          acknowledged.add(key);
          compare(reader, key);
        } catch (RuntimeException | AssertionError e) {
          if (e instanceof AssertionError || (Ring.isWhole(era) && ring.era() == era)) {
            failures.add(e);
          }
        }
      }
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }

  private static ByteBuffer value(long key) {
    return Values.of(key, key % 10 == 9 ? LARGE : SMALL, 50);
  }

  private static void write(Coordinator coordinator, long key) {
    coordinator.ask(ALL, "INSERT INTO " + TABLE + " (k, v) VALUES (?, ?)", key, value(key));
  }

  private static void compare(Coordinator coordinator, long key) {
    List<Row> rows = coordinator.ask(ALL, "SELECT v FROM " + TABLE + " WHERE k = ?", key);
    assertThat(rows).as("row %d", key).hasSize(1);
    assertThat(rows.get(0).getByteBuffer("v")).as("value %d", key).isEqualTo(value(key));
  }

  /** Fails if a request failed so far while everything was up. */
  void verifyNothingFailed() {
    assertThat(failures).as("requests that failed while everything was up").isEmpty();
  }

  /** Ends it; fails if a request failed or an acknowledged row is not read back equal. */
  void finish() {
    close();
    verifyNothingFailed();
    assertThat(acknowledged).as("rows of the traffic").hasSizeGreaterThan(100);
    for (long key : acknowledged) {
      compare(ring.coordinator(0), key);
    }
  }

  @Override
  public void close() {
    running = false;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
