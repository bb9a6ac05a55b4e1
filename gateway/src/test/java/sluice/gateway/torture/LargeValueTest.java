package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import sluice.gateway.suite.RealMemcached;
import sluice.testkit.Patience;

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

  /** As many as there are connections for large values, and one more that wants one. */
  @Test
  void shouldNotWaitForClientsThatStopInsideAValue() throws Exception {
    try (ScriptedServer server = new ScriptedServer(ScriptedServer::behave);
        RunningGateway gateway =
            RunningGateway.before(server.address())
                .limits("stall: 200ms")
                .connections("streams: 2")
                .timeout("20s")
                .start();
        RawClient one = new RawClient(gateway.address());
        RawClient two = new RawClient(gateway.address());
        RawClient other = new RawClient(gateway.address())) {
      String value = "x".repeat(200_000);
      one.send("set one 0 0 200000\r\nab");
      two.send("set two 0 0 200000\r\nab");
      assertThat(Patience.soon(() -> gateway.inFlight() == 2)).isTrue();
      for (int i = 0; i < 3; i++) {
        assertThat(other.ask("set k 0 0 200000\r\n" + value + "\r\n")).isEqualTo("STORED");
      }
    }
  }

  /** Nobody else wants its connection: it may take its time. */
  @Test
  void shouldLetAClientStopInsideAValueThatNobodyWaitsFor() throws Exception {
    try (ScriptedServer server = new ScriptedServer(ScriptedServer::behave);
        RunningGateway gateway =
            RunningGateway.before(server.address()).limits("stall: 50ms").timeout("20s").start();
        RawClient client = new RawClient(gateway.address())) {
      client.send("set k 0 0 200000\r\n" + "x".repeat(100_000));
      Thread.sleep(1000);
      client.send("x".repeat(100_000) + "\r\n");
      assertThat(client.line()).isEqualTo("STORED");
    }
  }
}
