package sluice.ring;

import static com.datastax.oss.driver.api.core.ConsistencyLevel.ALL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.DriverException;
import java.time.Duration;

/** A TRUNCATE of which a gateway tells the coordinator that it failed. */
final class RejectedTruncate {
  private RejectedTruncate() {}

  /**
   * It fails, and within some seconds: nobody waits for the minute after which nodes give up. The
   * fastest of three says so; what else a node is about may take longer.
   */
  static void shouldFail(Coordinator coordinator) {
    long fastest = Long.MAX_VALUE;
    for (int i = 0; i < 3; i++) {
      long start = System.nanoTime();
      assertThatThrownBy(() -> coordinator.ask(ALL, "TRUNCATE " + Ring.KEYSPACE + ".kv"))
          .isInstanceOf(DriverException.class)
          .hasMessageContaining("Truncate failed on replica");
      fastest = Math.min(fastest, System.nanoTime() - start);
    }
    assertThat(Duration.ofNanos(fastest)).isLessThan(Duration.ofSeconds(5));
  }
}
