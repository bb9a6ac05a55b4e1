package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import sluice.gateway.suite.RealMemcached;

/** A value far larger than what may be buffered goes through unchanged. */
class LargeValueTest {
  private static final int LENGTH = 64 * 1024 * 1024;
  private static final int PIECE = 256 * 1024;
  private static final long MOST_BUFFERED = 8 * 1024 * 1024;

  @Test
  void shouldStreamALargeValueBothWaysWithoutGatheringIt() throws Exception {
    AtomicLong most = new AtomicLong();
    AtomicBoolean done = new AtomicBoolean();
    try (RealMemcached server = RealMemcached.start("-I", "128m", "-m", "512");
        RunningGateway gateway =
            RunningGateway.before(server.address())
                .limits("itemSize: 128MiB")
                .timeout("10s")
                .start();
        RawClient client = new RawClient(gateway.address())) {
      Thread sampler =
          new Thread(
              () -> {
                while (!done.get()) {
                  most.accumulateAndGet(gateway.bufferedBytes(), Math::max);
                }
              });
      sampler.start();
      byte[] piece = new byte[PIECE];
      Random content = new Random(42);
      client.send("set large 7 0 " + LENGTH + "\r\n");
      for (int sent = 0; sent < LENGTH; sent += PIECE) {
        content.nextBytes(piece);
        client.send(piece);
      }
      client.send("\r\n");
      assertThat(client.line()).isEqualTo("STORED");

      content = new Random(42);
      assertThat(client.ask("get large\r\n")).isEqualTo("VALUE large 7 " + LENGTH);
      for (int got = 0; got < LENGTH; got += PIECE) {
        content.nextBytes(piece);
        assertThat(client.read(PIECE)).isEqualTo(piece);
      }
      assertThat(client.line()).isEmpty();
      assertThat(client.line()).isEqualTo("END");
      done.set(true);
      sampler.join();
      assertThat(most.get()).isBetween(1L, MOST_BUFFERED);
    } finally {
      done.set(true);
    }
  }
}
