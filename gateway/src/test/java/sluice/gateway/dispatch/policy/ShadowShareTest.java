package sluice.gateway.dispatch.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import sluice.gateway.time.SimulatedThread;

/** The share of requests that a shadow gets, which chance decides once for each request. */
class ShadowShareTest {
  private static final int LENGTH = 100_000;

  /** A thread on which chance says what the test wants. */
  private static final class Fated extends SimulatedThread {
    private boolean fortunate;
    private volatile @Nullable Throwable failure;

    Fated() {
      super(() -> {}, "fated");
    }

    @Override
    public void run() {
      try {
        copiesWhatWasGatheredForTheShadow();
      } catch (Throwable e) {
        failure = e;
      }
    }

    /** The first number is small, and all others are large. */
    private void copiesWhatWasGatheredForTheShadow() {
      String rule = "{pool: own, shadow: {pool: copy, percent: 10%}}";
      try (ScriptedPools pools = new ScriptedPools(rule, "own", "copy")) {
        SocketlessClient client = pools.client();
        String set = "set k 0 0 " + LENGTH + "\r\n";
        String value = "v".repeat(LENGTH) + "\r\n";
        client.sends("get k\r\n"); // by now, all that draws for the client has drawn
        pools.server("own").answers("END\r\n");
        assertThat(client.told()).isEqualTo("END\r\n");
        assertThat(pools.server("own").asked()).isEqualTo("get k\r\n");
        fortunate = true;
        client.sends(set + value.substring(0, 10));
        client.sends(value.substring(10));
        assertThat(pools.server("own").asked()).isEqualTo(set + value);
        assertThat(pools.server("copy").asked()).isEqualTo(set + value);
        pools.server("copy").answers("STORED\r\n");
        pools.server("own").answers("STORED\r\n");
        assertThat(client.told()).isEqualTo("STORED\r\n");
        client.sends("get k\r\n");
        assertThat(pools.server("own").asked()).isEqualTo("get k\r\n");
        assertThat(pools.server("copy").asked()).isEmpty();
        pools.server("own").answers("END\r\n");
      }
    }

    @Override
    protected long nanoTime() {
      return System.nanoTime();
    }

    @Override
    protected long currentTimeMillis() {
      return System.currentTimeMillis();
    }

    @Override
    protected RandomGenerator random() {
      return () -> {
        boolean first = fortunate;
        fortunate = false;
        return (first ? 1L : 60L) << 58; // 1/64, or 60/64
      };
    }
  }

  @Test
  void shouldCopyAValueThatWasGatheredForTheShadow() throws InterruptedException {
    Fated fated = new Fated();
    fated.start();
    fated.join();
    assertThat(fated.failure).isNull();
  }
}
