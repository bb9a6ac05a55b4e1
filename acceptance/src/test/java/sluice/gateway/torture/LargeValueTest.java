package sluice.gateway.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.gateway.fixtures.RealMemcached;
import sluice.gateway.fixtures.SideBySide;
import sluice.testkit.Acceptor;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedServer;

/** A value far larger than what may be buffered goes through unchanged. */
class LargeValueTest {
  private static final int LENGTH = 64 * 1024 * 1024;
  private static final int CHUNK = 256 * 1024;
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
      byte[] chunk = new byte[CHUNK];
      Random content = new Random(42);
      client.send("set large 7 0 " + LENGTH + "\r\n");
      for (int sent = 0; sent < LENGTH; sent += CHUNK) {
        content.nextBytes(chunk);
        client.send(chunk);
      }
      client.send("\r\n");
      assertThat(client.line()).isEqualTo("STORED");

      content = new Random(42);
      assertThat(client.ask("get large\r\n")).isEqualTo("VALUE large 7 " + LENGTH);
      for (int got = 0; got < LENGTH; got += CHUNK) {
        content.nextBytes(chunk);
        assertThat(client.read(CHUNK)).isEqualTo(chunk);
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

  /** The value's bytes are no further request, which would have to wait for the first. */
  @ParameterizedTest
  @CsvSource({"inFlight: 1, 0", "'inFlight: 1024, outBuffer: 16KiB', 400000"})
  void shouldStreamAValueOfAClientThatMayHaveOneRequestInFlight(String limits, int read)
      throws Exception {
    try (RealMemcached server = RealMemcached.start();
        RunningGateway gateway =
            RunningGateway.before(server.address()).limits(limits).timeout("20s").start();
        RawClient client = new RawClient(gateway.address())) {
      String before = "y".repeat(read);
      if (read > 0) { // large replies make the window small
        assertThat(client.ask("set large 0 0 " + read + "\r\n" + before + "\r\n"))
            .isEqualTo("STORED");
        for (int i = 0; i < 20; i++) {
          assertThat(Scenario.get(client, "large")).isEqualTo(before);
        }
      }
      String value = "x".repeat(900_000);
      for (String key : List.of("one", "two")) {
        client.send("set " + key + " 0 0 900000\r\n" + value.substring(1000));
        assertThat(client.ask(value.substring(0, 1000) + "\r\n")).isEqualTo("STORED");
        assertThat(Scenario.get(client, key)).isEqualTo(value);
      }
      client.send("set k 0 0 900000\r\n" + value.substring(1000)).halfClose();
      assertThat(client.readToEnd(Patience.LIMIT)).isEmpty();
      assertThat(Patience.soon(() -> gateway.inFlight() == 0)).isTrue();
      assertThat(Patience.soon(() -> gateway.bufferedBytes() == 0)).isTrue();
    }
  }

  /** They wait until those have stalled, for a time that is no stall on a busy machine. */
  @TestFactory
  List<DynamicTest> shouldGoOnWithoutClientsThatStop() {
    return new SideBySide()
        .add(
            "should not wait for clients that stop inside a value",
            LargeValueTest::shouldNotWaitForClientsThatStopInsideAValue)
        .add(
            "should not wait for clients that stop inside gathered values",
            LargeValueTest::shouldNotWaitForClientsThatStopInsideGatheredValues)
        .add(
            "should not keep a quarter of the memory for clients that stop",
            LargeValueTest::shouldNotKeepAQuarterOfTheMemoryForClientsThatStop)
        .tests(3, Duration.ofMinutes(3));
  }

  /**
   * As many clients as there are connections for large values, and one more that wants one. There
   * is not enough memory for its values.
   */
  private static void shouldNotWaitForClientsThatStopInsideAValue() throws Exception {
    try (ScriptedServer server = new ScriptedServer(ScriptedServer::behave);
        RunningGateway gateway =
            RunningGateway.before(server.address())
                .process("memory: 16MiB")
                .limits("itemSize: 32MiB, stall: 3s")
                .connections("streams: 2")
                .timeout("20s")
                .start();
        RawClient one = new RawClient(gateway.address());
        RawClient two = new RawClient(gateway.address());
        RawClient other = new RawClient(gateway.address())) {
      int length = 9 * 1024 * 1024;
      String value = "x".repeat(length);
      one.send("set one 0 0 200000\r\nab");
      two.send("set two 0 0 200000\r\nab");
      assertThat(Patience.soon(() -> gateway.inFlight() == 2)).isTrue();
      for (int i = 0; i < 3; i++) {
        assertThat(other.ask("set k 0 0 " + length + "\r\n" + value + "\r\n")).isEqualTo("STORED");
      }
    }
  }

  /** Clients that stop have all connections for large values, and half of the memory too. */
  private static void shouldNotWaitForClientsThatStopInsideGatheredValues() throws Exception {
    try (ScriptedServer server = new ScriptedServer(ScriptedServer::behave);
        RunningGateway gateway =
            RunningGateway.before(server.address())
                .process("memory: 4MiB")
                .limits("stall: 3s")
                .connections("streams: 2")
                .timeout("20s")
                .start();
        RawClient other = new RawClient(gateway.address())) {
      List<RawClient> stopped = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        RawClient client = new RawClient(gateway.address());
        client.send("set stopped 0 0 200000\r\nab");
        stopped.add(client);
      }
      String value = "x".repeat(200_000);
      for (int i = 0; i < 3; i++) {
        assertThat(other.ask("set k 0 0 200000\r\n" + value + "\r\n")).isEqualTo("STORED");
      }
      for (RawClient client : stopped) {
        client.close();
      }
    }
  }

  /**
   * All connections for large values are acquired to clients that have stopped. Other clients do
   * not wait for those, and those may go on when they like.
   */
  @ParameterizedTest
  @CsvSource({"same,1", "meta,1", "binary,1", "same,3", "binary,3"})
  void shouldGatherALargeValueIfAllConnectionsAreLent(String dialect, int loops) throws Exception {
    int length = 200_000;
    try (RealMemcached server = RealMemcached.start();
        RunningGateway gateway =
            (loops == 1
                    ? RunningGateway.before(server.address()).connections("perEventLoop: 1")
                    : RunningGateway.before(server.address()).shared(loops, 1))
                .limits("stall: 1h")
                .connections("streams: 2")
                .dialect(dialect)
                .timeout("20s")
                .start()) {
      List<RawClient> stopped = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        RawClient client = new RawClient(gateway.address());
        client.send("set stopped" + i + " 0 0 " + length + "\r\n" + "y".repeat(length - 1));
        stopped.add(client);
      }
      for (String set : List.of("set k 0 0 %d\r\n%s\r\n", "ms k %d T0\r\n%s\r\n")) {
        for (int i = 0; i < 3; i++) {
          try (RawClient client = new RawClient(gateway.address())) {
            String value = (char) ('a' + i) + "x".repeat(length - 1);
            // What goes with it is answered behind it.
            client.send(set.formatted(length, value) + "get k\r\n");
            assertThat(client.line()).isIn("STORED", "HD");
            assertThat(client.line()).isEqualTo("VALUE k 0 " + length);
            assertThat(client.line()).isEqualTo(value);
            assertThat(client.line()).isEqualTo("END");
          }
        }
        try (RawClient client = new RawClient(gateway.address())) {
          client.send(set.formatted(length, "z".repeat(length + 2)));
          assertThat(client.line()).isEqualTo("CLIENT_ERROR bad data chunk");
        }
        try (RawClient client = new RawClient(gateway.address())) {
          client.send(set.formatted(length, "w".repeat(length))); // and does not wait
        }
        String left = "w".repeat(length);
        assertThat(Patience.soon(() -> left.equals(ofKey(gateway, "k")))).isTrue();
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
      assertThat(Patience.soon(() -> gateway.bufferedBytes() == 0)).isTrue();
    }
  }

  private static String ofKey(RunningGateway gateway, String key) throws IOException {
    try (RawClient client = new RawClient(gateway.address())) {
      return Scenario.get(client, key);
    }
  }

  /** A server that takes no large value: nothing else waits behind one that was gathered. */
  @Test
  void shouldNotKeepOthersWaitingBehindAGatheredValue() throws Exception {
    CountDownLatch goesOn = new CountDownLatch(1);
    ScriptedServer.Script script =
        request -> {
          if (request.line().startsWith("set large")) {
            goesOn.await();
          }
          ScriptedServer.behave(request);
        };
    try (ScriptedServer server = new ScriptedServer(script);
        RunningGateway gateway =
            RunningGateway.before(server.address())
                .limits("stall: 1h")
                .connections("streams: 2, perEventLoop: 1")
                .timeout("20s")
                .start();
        RawClient one = new RawClient(gateway.address());
        RawClient two = new RawClient(gateway.address());
        RawClient large = new RawClient(gateway.address());
        RawClient other = new RawClient(gateway.address())) {
      one.send("set one 0 0 200000\r\nab");
      two.send("set two 0 0 200000\r\nab");
      assertThat(Patience.soon(() -> gateway.inFlight() == 2)).isTrue();
      large.send("set large 0 0 200000\r\n" + "x".repeat(200_000) + "\r\n");
      assertThat(Patience.soon(() -> server.lines().contains("set large 0 0 200000"))).isTrue();
      for (int i = 0; i < 100; i++) {
        assertThat(Scenario.get(other, "k" + i)).isEqualTo("k" + i);
      }
      goesOn.countDown();
      assertThat(large.line()).isEqualTo("STORED");
    }
  }

  /** Values of another server may need the memory: nobody has to wait for this one. */
  private static void shouldNotKeepAQuarterOfTheMemoryForClientsThatStop() throws Exception {
    try (ScriptedServer server = new ScriptedServer(ScriptedServer::behave);
        RunningGateway gateway =
            RunningGateway.before(server.address())
                .process("memory: 4MiB")
                .limits("stall: 3s")
                .connections("streams: 1")
                .timeout("20s")
                .start();
        RawClient acquired = new RawClient(gateway.address())) {
      acquired.send("set lent 0 0 200000\r\nab");
      assertThat(Patience.soon(() -> gateway.inFlight() == 1)).isTrue();
      List<RawClient> stopped = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        RawClient client = new RawClient(gateway.address());
        client.send("set stopped 0 0 200000\r\nab");
        stopped.add(client);
      }
      assertThat(Patience.soon(() -> gateway.bufferedBytes() > 1024 * 1024)).isTrue();
      assertThat(Patience.soon(() -> gateway.bufferedBytes() < 1024 * 1024)).isTrue();
      acquired.send("x".repeat(200_000 - 2) + "\r\n");
      assertThat(acquired.line()).as("nobody waits for its connection").isEqualTo("STORED");
      for (RawClient client : stopped) {
        client.close();
      }
    }
  }

  /** The server's time begins when it has the value, however it was sent. */
  @Test
  void shouldNotBlameAServerThatReadsAGatheredValueSlowly() throws Exception {
    int length = 12 * 1024 * 1024;
    try (SlowlyReadingServer server = new SlowlyReadingServer();
        RunningGateway gateway =
            RunningGateway.before(server.address())
                .limits("itemSize: 16MiB, stall: 1h")
                .connections("streams: 1")
                .timeout("2s")
                .start();
        RawClient stopped = new RawClient(gateway.address());
        RawClient large = new RawClient(gateway.address())) {
      stopped.send("set stopped 0 0 200000\r\nab");
      assertThat(Patience.soon(() -> gateway.inFlight() == 1)).isTrue();
      long began = System.nanoTime();
      assertThat(large.ask("set k 0 0 " + length + "\r\n" + "x".repeat(length) + "\r\n"))
          .isEqualTo("STORED");
      assertThat(System.nanoTime() - began)
          .as("longer than the timeout, or this shows nothing")
          .isGreaterThan(2_100_000_000L);
    }
  }

  /** Takes 64 KiB every few milliseconds; answers every value that ends. */
  private static final class SlowlyReadingServer implements AutoCloseable {
    private static final int READ = 64 * 1024;

    private final Acceptor acceptor =
        Acceptor.onLoopback(0, "slowly reading server", (number, socket) -> serve(socket));

    SlowlyReadingServer() throws IOException {}

    InetSocketAddress address() {
      return acceptor.address();
    }

    private static void serve(Socket socket) {
      try (socket) {
        socket.setReceiveBufferSize(READ);
        byte[] bytes = new byte[READ];
        boolean begun = false;
        int taken = 0;
        for (int n = socket.getInputStream().read(bytes);
            n >= 0;
            n = socket.getInputStream().read(bytes)) {
          String text = new String(bytes, 0, n, ISO_8859_1);
          if (text.equals("version\r\n")) {
            socket.getOutputStream().write("VERSION 1.6.18\r\n".getBytes(ISO_8859_1));
          } else if (text.endsWith("\r\n") && (begun || !text.startsWith("set "))) {
            socket.getOutputStream().write("STORED\r\n".getBytes(ISO_8859_1));
          }
          begun = true;
          taken += n;
          for (; taken >= READ; taken -= READ) { // however few bytes each read gets
            Thread.sleep(16);
          }
        }
      } catch (IOException e) {
        // the gateway is gone
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void close() throws IOException {
      acceptor.close();
    }
  }

  /**
   * Each read that is much larger than the next makes the buffer for that one large: single bytes
   * behind full buffers came in buffers of up to 64 KiB, which were all kept.
   */
  @Test
  void shouldTakeNoMoreMemoryThanItCountsForAValueThatComesByteByByte() throws Exception {
    int clients = 8;
    try (ScriptedServer server = new ScriptedServer(ScriptedServer::behave);
        RunningGateway gateway =
            RunningGateway.before(server.address())
                .limits("stall: 1h")
                .connections("streams: 1")
                .timeout("20s")
                .start();
        RawClient stopped = new RawClient(gateway.address())) {
      stopped.send("set stopped 0 0 200000\r\nab");
      assertThat(Patience.soon(() -> gateway.inFlight() == 1)).isTrue();
      List<RawClient> all = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        RawClient client = new RawClient(gateway.address());
        client.send("set k 0 0 1000000\r\n");
        all.add(client);
      }
      long before = PlatformDependent.usedDirectMemory();
      byte[] full = new byte[9000];
      byte[] one = new byte[1];
      for (int round = 0; round < 80; round++) {
        sendToAll(all, full);
        for (int i = 0; i < 14; i++) {
          sendToAll(all, one);
        }
      }
      assertThat(Patience.soon(() -> gateway.bufferedBytes() > clients * 900_000L)).isTrue();
      assertThat(PlatformDependent.usedDirectMemory() - before)
          .as("bytes of buffers for %s that are counted", gateway.bufferedBytes())
          .isLessThan(40L * 1024 * 1024);
      for (RawClient client : all) {
        client.close();
      }
    }
  }

  /** Of a read, all but a few bytes are sent on; the rest waits, and must not keep all of it. */
  @Test
  void shouldTakeNoMoreMemoryThanItCountsForARequestThatWaits() throws Exception {
    int clients = 400;
    ScriptedServer.Script script =
        request -> {
          if (!request.line().startsWith("get never")) {
            ScriptedServer.behave(request);
          }
        };
    try (ScriptedServer server = new ScriptedServer(script);
        RunningGateway gateway =
            RunningGateway.before(server.address())
                .limits("stall: 1h, inFlight: 1")
                .timeout("20s")
                .start()) {
      String value = "v".repeat(60_000);
      List<RawClient> all = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        RawClient client = new RawClient(gateway.address());
        for (int large = 0; large < 3; large++) { // so that its next read gets a large buffer
          client.send("set large 0 0 60000\r\n" + value + "\r\n");
          assertThat(client.line()).isEqualTo("STORED");
        }
        all.add(client);
      }
      long before = PlatformDependent.usedDirectMemory();
      for (RawClient client : all) {
        client.send("get never\r\nget waits\r\n");
      }
      assertThat(Patience.soon(() -> gateway.bufferedBytes() >= clients * 10L)).isTrue();
      assertThat(PlatformDependent.usedDirectMemory() - before)
          .as("bytes of buffers for %s that are counted", gateway.bufferedBytes())
          .isLessThan(10L * 1024 * 1024);
      for (RawClient client : all) {
        client.close();
      }
    }
  }

  private static void sendToAll(List<RawClient> all, byte[] bytes) throws Exception {
    for (RawClient client : all) {
      client.send(bytes);
    }
    Thread.sleep(2);
  }

  /** The connection that a gathered value is on is lost: its client is told, and goes on. */
  @Test
  void shouldSayWhatBecameOfAGatheredValue() throws Exception {
    ScriptedServer.Script script =
        request -> {
          if (request.line().startsWith("set large")) {
            request.socket().close();
          } else {
            ScriptedServer.behave(request);
          }
        };
    try (ScriptedServer server = new ScriptedServer(script);
        RunningGateway gateway =
            RunningGateway.before(server.address())
                .limits("stall: 1h")
                .connections("streams: 1")
                .timeout("20s")
                .start();
        RawClient stopped = new RawClient(gateway.address());
        RawClient large = new RawClient(gateway.address())) {
      stopped.send("set one 0 0 200000\r\nab");
      assertThat(Patience.soon(() -> gateway.inFlight() == 1)).isTrue();
      for (int i = 0; i < 3; i++) {
        large.send("set large 0 0 200000\r\n" + "x".repeat(200_000) + "\r\n");
        assertThat(large.line())
            .startsWith("SERVER_ERROR server ")
            .contains("closed the connection");
        assertThat(large.ask("set k 0 0 200000\r\n" + "x".repeat(200_000) + "\r\n"))
            .isEqualTo("STORED");
      }
      assertThat(Patience.soon(() -> gateway.bufferedBytes() == 0)).isTrue();
    }
  }

  /** No other client wants its connection: it may take its time. */
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
