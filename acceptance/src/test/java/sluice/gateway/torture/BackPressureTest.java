package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedServer;

/** Whoever does not read stops whoever sends, costs others little and memory nothing for long. */
class BackPressureTest {
  private static final int MIB = 1024 * 1024;
  private static final String VALUE = "x".repeat(MIB);

  private static void serve(ScriptedServer.Request request) throws IOException {
    if (request.line().startsWith("get ")) {
      request.replyValues(key -> key.equals("large") ? VALUE : key);
    } else {
      ScriptedServer.behave(request);
    }
  }

  @Test
  void shouldDelayOthersNoLongerThanTheStallOfAClientThatNeverReads() throws Exception {
    try (ScriptedServer server = new ScriptedServer(BackPressureTest::serve);
        RunningGateway gateway =
            RunningGateway.before(server.address())
                .limits("outBuffer: 1MiB, stall: 400ms, inFlight: 64")
                .timeout("20s")
                .start();
        RawClient deaf = new RawClient(gateway.address(), 4096);
        RawClient other = new RawClient(gateway.address())) {
      assertThat(other.ask("set k 0 0 1\r\nx\r\n")).isEqualTo("STORED");
      deaf.send("get large\r\n".repeat(32));
      long begin = System.nanoTime();
      long longest = 0;
      while (System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(2)) {
        long asked = System.nanoTime();
        assertThat(other.ask("set k 0 0 1\r\nx\r\n")).isEqualTo("STORED");
        longest = Math.max(longest, System.nanoTime() - asked);
      }
      assertThat(TimeUnit.NANOSECONDS.toMillis(longest)).isLessThan(10_000); // far from its timeout
      assertThat(deaf.readToEnd(Duration.ofSeconds(5)).length).isLessThan(32 * MIB);
      assertThat(Patience.soon(() -> gateway.bufferedBytes() == 0))
          .as("buffered: %d", gateway.bufferedBytes())
          .isTrue();
      assertThat(gateway.inFlight()).isZero();
    }
  }

  @Test
  void shouldNotCallAServerLateThatThisGatewayDidNotRead() throws Exception {
    try (ScriptedServer server = new ScriptedServer(BackPressureTest::serve);
        RunningGateway gateway =
            RunningGateway.before(server.address())
                .limits("outBuffer: 1MiB, stall: 10s")
                .timeout("1s")
                .queueTimeout("20s")
                .start();
        RawClient slow = new RawClient(gateway.address(), 4096)) {
      slow.send("get large\r\n".repeat(8) + "get a\r\n");
      for (int i = 0; i < 8; i++) {
        assertThat(slow.line()).startsWith("VALUE");
        for (int part = 0; part < 16; part++) {
          Thread.sleep(40); // slowly through what is between "too much" and "little enough"
          slow.read(MIB / 16);
        }
        assertThat(slow.line()).isEmpty();
        assertThat(slow.line()).isEqualTo("END");
      }
      assertThat(slow.line()).isEqualTo("VALUE a 0 1");
    }
  }

  /** The slow client reads a little all the time, so it is not closed. */
  @Test
  void shouldAnswerThoseBehindAClientThatReadsSlowly() throws Exception {
    int gets = 16;
    String value = "x".repeat(800_000);
    CountDownLatch asked = new CountDownLatch(1);
    ScriptedServer.Script script =
        request -> {
          asked.await(10, TimeUnit.SECONDS);
          request.replyValues(key -> key.equals("large") ? value : key);
        };
    try (ScriptedServer server = new ScriptedServer(script);
        RunningGateway gateway =
            RunningGateway.before(server.address())
                .connections("perEventLoop: 1")
                .limits("outBuffer: 1MiB, stall: 20s")
                .timeout("5s")
                .start();
        RawClient slow = new RawClient(gateway.address(), 4096);
        RawClient other = new RawClient(gateway.address())) {
      slow.send("get large\r\n".repeat(gets));
      assertThat(Patience.soon(() -> gateway.inFlight() == gets)).isTrue();
      other.send("get small\r\n");
      assertThat(Patience.soon(() -> gateway.inFlight() == gets + 1)).isTrue();
      asked.countDown();
      AtomicBoolean answered = new AtomicBoolean();
      Thread reader =
          new Thread(
              () -> {
                try {
                  while (!answered.get()) {
                    slow.read(2000);
                    Thread.sleep(20);
                  }
                } catch (IOException | InterruptedException e) {
                  answered.set(true);
                }
              });
      reader.start();
      assertThat(other.line()).isEqualTo("VALUE small 0 5");
      assertThat(other.line()).isEqualTo("small");
      assertThat(other.line()).isEqualTo("END");
      answered.set(true);
      reader.join();
      assertThat(server.requests().stream().map(ScriptedServer.Request::connection))
          .as("all are on one connection")
          .containsOnly(server.requests().get(0).connection());
    }
  }

  @Test
  void shouldForgetBytesThatASlowClientTookAtLast() throws Exception {
    try (ScriptedServer server = new ScriptedServer(BackPressureTest::serve);
        RunningGateway gateway =
            RunningGateway.before(server.address())
                .limits("outBuffer: 32MiB, stall: 5s")
                .timeout("5s")
                .start();
        RawClient slow = new RawClient(gateway.address(), 4096)) {
      slow.send("get large\r\n".repeat(16));
      assertThat(Patience.soon(() -> gateway.bufferedBytes() > MIB)).isTrue();
      Thread.sleep(200);
      for (int i = 0; i < 16; i++) {
        assertThat(slow.line()).startsWith("VALUE");
        slow.read(MIB + 2);
        assertThat(slow.line()).isEqualTo("END");
      }
      assertThat(Patience.soon(() -> gateway.bufferedBytes() == 0))
          .as("buffered: %d", gateway.bufferedBytes())
          .isTrue();
    }
  }

  @Test
  void shouldStopTheClientsOfAServerThatDoesNotRead() throws Exception {
    AtomicBoolean reads = new AtomicBoolean(true);
    ScriptedServer.Script script =
        request -> {
          while (!reads.get()) {
            Thread.sleep(10);
          }
          ScriptedServer.behave(request);
        };
    try (ScriptedServer server = new ScriptedServer(script);
        RunningGateway gateway = RunningGateway.before(server.address()).timeout("20s").start();
        RawClient client = new RawClient(gateway.address())) {
      assertThat(client.ask("set k 0 0 1\r\nx\r\n")).isEqualTo("STORED");
      reads.set(false);
      AtomicLong sent = new AtomicLong();
      int count = 400;
      int length = 50_000;
      byte[] set =
          ("set k 0 0 " + length + "\r\n" + "x".repeat(length) + "\r\n")
              .getBytes(java.nio.charset.StandardCharsets.US_ASCII);
      Thread sender =
          new Thread(
              () -> {
                try {
                  for (int i = 0; i < count; i++) {
                    client.send(set);
                    sent.incrementAndGet();
                  }
                } catch (IOException e) {
                  sent.set(-1);
                }
              });
      sender.start();
      Thread.sleep(1500);
      assertThat(gateway.bufferedBytes()).isLessThan(MIB);
      assertThat(sent.get()).isBetween(1L, count - 1L);
      reads.set(true);
      for (int i = 0; i < count; i++) {
        assertThat(client.line()).isEqualTo("STORED");
      }
      sender.join();
      assertThat(sent.get()).isEqualTo(count);
    }
  }

  @Test
  void shouldStayUnderTheCeilingWithManyClientsThatNeverRead() throws Exception {
    long ceiling = 16L * MIB;
    AtomicLong most = new AtomicLong();
    AtomicBoolean done = new AtomicBoolean();
    List<RawClient> deaf = new ArrayList<>();
    try (ScriptedServer server = new ScriptedServer(BackPressureTest::serve);
        RunningGateway gateway =
            RunningGateway.before(server.address())
                .process("memory: 16MiB")
                .limits("outBuffer: 1MiB, stall: 200ms, inFlight: 16")
                .timeout("500ms")
                .start()) {
      Thread sampler =
          new Thread(
              () -> {
                while (!done.get()) {
                  most.accumulateAndGet(gateway.bufferedBytes(), Math::max);
                }
              });
      sampler.start();
      for (int i = 0; i < 30; i++) {
        RawClient client = new RawClient(gateway.address(), 4096);
        deaf.add(client);
        client.send("get large\r\n".repeat(16));
      }
      assertThat(Patience.soon(() -> most.get() > MIB / 2)).isTrue();
      assertThat(Patience.soon(() -> gateway.bufferedBytes() == 0))
          .as("buffered: %d", gateway.bufferedBytes())
          .isTrue();
      done.set(true);
      sampler.join();
      assertThat(most.get()).isBetween(MIB / 2L, ceiling);
      try (RawClient other = new RawClient(gateway.address())) {
        // Behind all those, it may fail, but in time.
        long begin = System.nanoTime();
        assertThat(other.ask("set k 0 0 1\r\nx\r\n")).matches("STORED|SERVER_ERROR .*");
        assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin)).isLessThan(20_000);
      }
    } finally {
      done.set(true);
      for (RawClient client : deaf) {
        client.close();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"get %1$s\r\nget %2$s\r\nget %3$s\r\nget %4$s\r\n", "get %s %s %s %s\r\n"})
  void shouldReadTheReplyThatComesNextWhateverIsHeldBehindIt(String format) throws Exception {
    AtomicReference<String> late = new AtomicReference<>("");
    ScriptedServer.Script script =
        request -> {
          StringBuilder reply = new StringBuilder();
          for (String key : request.line().substring("get ".length()).split(" ", -1)) {
            if (key.equals(late.get())) {
              Thread.sleep(300);
            }
            reply.append("VALUE ").append(key).append(" 0 ").append(MIB).append("\r\n");
            reply.append(VALUE).append("\r\n");
          }
          request.reply(reply + "END\r\n");
        };
    try (ScriptedServer one = new ScriptedServer(script);
        ScriptedServer other = new ScriptedServer(script);
        RunningGateway gateway =
            RunningGateway.before(one.address(), other.address())
                .limits("outBuffer: 1MiB, stall: 500ms")
                .timeout("5s")
                .start();
        RawClient client = new RawClient(gateway.address())) {
      int key = 0;
      while (one.requests().isEmpty() || other.requests().size() < 3) {
        assertThat(client.ask("get key" + key++ + "\r\n")).startsWith("VALUE");
        client.read(MIB + 2);
        assertThat(client.line()).isEqualTo("END");
      }
      List<String> keys = new ArrayList<>();
      keys.add(one.requests().get(0).key());
      other.requests().stream().limit(3).forEach(request -> keys.add(request.key()));
      late.set(keys.get(0));

      client.send(format.formatted(keys.toArray()));
      for (String expected : keys) {
        String line = client.line();
        assertThat(line.equals("END") ? client.line() : line).startsWith("VALUE " + expected);
        client.read(MIB + 2);
      }
      assertThat(client.line()).isEqualTo("END");
    }
  }

  @Test
  void shouldNotHoldAValueThatTheProcessHasNoRoomFor() throws Exception {
    int length = 64 * MIB;
    String value = "x".repeat(length);
    AtomicBoolean large = new AtomicBoolean();
    ScriptedServer.Script script =
        request -> {
          if (large.get()) {
            String key = request.key();
            request.reply("VALUE " + key + " 0 " + length + "\r\n" + value + "\r\nEND\r\n");
          } else {
            ScriptedServer.behave(request);
          }
        };
    AtomicLong most = new AtomicLong();
    try (ScriptedServer one = new ScriptedServer(script);
        ScriptedServer other = new ScriptedServer(script);
        RunningGateway gateway =
            RunningGateway.before(one.address(), other.address())
                .process("memory: 16MiB")
                .limits("stall: 2s")
                .timeout("5s")
                .start();
        RawClient client = new RawClient(gateway.address())) {
      int key = 0;
      while (one.requests().isEmpty() || other.requests().isEmpty()) {
        client.ask("get key" + key++ + "\r\n");
      }
      String keys = one.requests().get(0).key() + " " + other.requests().get(0).key();
      large.set(true);
      client.send("get " + keys + "\r\n");
      assertThat(
              Patience.soon(() -> most.accumulateAndGet(gateway.bufferedBytes(), Math::max) > MIB))
          .isTrue();
      assertThat(
              Patience.soon(
                  () -> {
                    most.accumulateAndGet(gateway.bufferedBytes(), Math::max);
                    return gateway.bufferedBytes() == 0;
                  }))
          .isTrue();
      assertThat(most.get()).isLessThan(17L * MIB);
    }
  }

  /** It is slow for longer than it might stand still, and gets all of a reply. */
  @Test
  void shouldKeepAClientThatReadsSlowlyWithoutAPause() throws Exception {
    int length = 12 * MIB;
    String value = "x".repeat(length);
    try (ScriptedServer server = new ScriptedServer(request -> request.replyValues(key -> value));
        RunningGateway gateway =
            RunningGateway.before(server.address())
                .limits("itemSize: 32MiB, outBuffer: 1MiB, stall: 3s")
                .timeout("20s")
                .start();
        RawClient slow = new RawClient(gateway.address(), 64 * 1024)) {
      slow.send("get large\r\n");
      assertThat(slow.line()).isEqualTo("VALUE large 0 " + length);
      int read = 0;
      for (; read < 2 * MIB; read += MIB / 64) {
        Thread.sleep(50);
        slow.read(MIB / 64);
      }
      slow.read(length - read);
      assertThat(slow.line()).isEmpty();
      assertThat(slow.line()).isEqualTo("END");
    }
  }
}
