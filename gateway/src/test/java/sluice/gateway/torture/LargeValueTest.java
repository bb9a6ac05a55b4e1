package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.suite.Patience;
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

  /** As many as there are connections for large values, and one more that wants one. */
  @Test
  void shouldNotWaitForClientsThatStopInsideAValue() throws Exception {
    try (ScriptedServer server = new ScriptedServer(ScriptedServer::behave);
        RunningGateway gateway =
            RunningGateway.before(server.address())
                .process("memory: 16MiB")
                .limits("itemSize: 32MiB, stall: 200ms")
                .connections("streams: 2")
                .timeout("20s")
                .start();
        RawClient one = new RawClient(gateway.address());
        RawClient two = new RawClient(gateway.address());
        RawClient other = new RawClient(gateway.address())) {
      int length = 14 * 1024 * 1024; // too much to be gathered
      String value = "x".repeat(length);
      one.send("set one 0 0 200000\r\nab");
      two.send("set two 0 0 200000\r\nab");
      assertThat(Patience.soon(() -> gateway.inFlight() == 2)).isTrue();
      for (int i = 0; i < 3; i++) {
        assertThat(other.ask("set k 0 0 " + length + "\r\n" + value + "\r\n")).isEqualTo("STORED");
      }
    }
  }

  /**
   * All connections for large values are with clients that have stopped: nobody waits for those,
   * and they go on when they like.
   */
  @ParameterizedTest
  @ValueSource(strings = {"same", "meta", "binary"})
  void shouldGatherALargeValueIfNoConnectionIsThereForIt(String dialect) throws Exception {
    int length = 200_000;
    try (RealMemcached server = RealMemcached.start();
        RunningGateway gateway =
            RunningGateway.before(server.address())
                .limits("stall: 1h")
                .connections("streams: 2, perEventLoop: 1")
                .dialect(dialect)
                .timeout("20s")
                .start()) {
      List<RawClient> stopped = new ArrayList<>();
      for (int i = 0; i < 4 * 2; i++) {
        RawClient client = new RawClient(gateway.address());
        client.send("set stopped" + i + " 0 0 " + length + "\r\n" + "y".repeat(length - 1));
        stopped.add(client);
      }
      for (String set : List.of("set k 0 0 %d\r\n%s\r\n", "ms k %d T0\r\n%s\r\n")) {
        for (int i = 0; i < 3; i++) {
          try (RawClient client = new RawClient(gateway.address())) {
            String value = (char) ('a' + i) + "x".repeat(length - 1);
            assertThat(client.ask(set.formatted(length, value))).isIn("STORED", "HD");
            assertThat(Scenario.get(client, "k")).isEqualTo(value);
          }
        }
        try (RawClient client = new RawClient(gateway.address())) {
          client.send(set.formatted(length, "z".repeat(length + 2)));
          assertThat(client.line()).isEqualTo("CLIENT_ERROR bad data chunk");
        }
      }
      try (RawClient client = new RawClient(gateway.address())) {
        byte[] packet = new byte[24 + 8 + 1 + length];
        ByteBuffer.wrap(packet).putInt(0x80010001).putInt(0x08000000).putInt(8 + 1 + length);
        packet[32] = 'b';
        client.send(packet);
        byte[] reply = client.read(24);
        assertThat(reply[0]).isEqualTo((byte) 0x81);
        assertThat(reply[7]).as("status").isZero();
      }
      for (int i = 0; i < stopped.size(); i++) {
        RawClient client = stopped.get(i);
        assertThat(client.ask("y\r\n")).isEqualTo("STORED");
        assertThat(Scenario.get(client, "stopped" + i)).isEqualTo("y".repeat(length));
        client.close();
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
