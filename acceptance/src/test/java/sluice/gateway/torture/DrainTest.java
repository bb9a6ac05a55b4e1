package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import sluice.gateway.fixtures.SideBySide;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedServer;

/** Stopping lets what is in flight finish, takes nothing new, and ends in time. */
class DrainTest {
  private static final String NO_CLIENTS = "sluice_connections{listener=\"cache\"} 0";

  /** A server that answers nothing before it may go on. */
  private static ScriptedServer.Script after(CountDownLatch goesOn) {
    return request -> {
      goesOn.await();
      ScriptedServer.behave(request);
    };
  }

  @Test
  void shouldFinishWhatIsInFlightAndTakeNoNewClients() throws Exception {
    CountDownLatch goesOn = new CountDownLatch(1);
    try (ScriptedServer server = new ScriptedServer(after(goesOn));
        RunningGateway gateway =
            RunningGateway.before(server.address()).timeout("20s").process("drain: 15s").start();
        RawClient idle = new RawClient(gateway.address());
        RawClient busy = new RawClient(gateway.address())) {
      assertThat(idle.ask("mn\r\n")).isEqualTo("MN");
      busy.send("get a\r\nget b\r\n");
      assertThat(Patience.soon(() -> gateway.inFlight() == 2)).isTrue();

      var stopped = gateway.gateway().drain();

      assertThat(idle.readToEnd(Patience.LIMIT)).isEmpty();
      assertThatThrownBy(() -> new RawClient(gateway.address()).ask("mn\r\n"))
          .isInstanceOf(IOException.class);
      assertThat(stopped.isComplete()).isFalse();
      goesOn.countDown();
      for (String key : new String[] {"a", "b"}) {
        assertThat(busy.line()).isEqualTo("VALUE " + key + " 0 1");
        assertThat(busy.line()).isEqualTo(key);
        assertThat(busy.line()).isEqualTo("END");
      }
      assertThat(busy.readToEnd(Patience.LIMIT)).isEmpty();
      stopped.await(20, TimeUnit.SECONDS);
    }
  }

  @Test
  void shouldSpreadTheClosingOfIdleClientsOverTheFirstThird() throws Exception {
    int clients = 60;
    List<RawClient> idle = new ArrayList<>();
    try (ScriptedServer server = new ScriptedServer(ScriptedServer::behave);
        RunningGateway gateway =
            RunningGateway.before(server.address()).process("drain: 9s").start()) {
      for (int i = 0; i < clients; i++) {
        idle.add(new RawClient(gateway.address()));
        if (i % 2 == 0) {
          assertThat(idle.get(i).ask("mn\r\n")).isEqualTo("MN"); // the others have said nothing
        }
      }
      Queue<Long> closed = new ConcurrentLinkedQueue<>();
      List<Thread> readers = new ArrayList<>();
      for (RawClient client : idle) {
        Thread reader =
            new Thread(
                () -> {
                  try {
                    if (client.readToEnd(Patience.LIMIT).length == 0) {
                      closed.add(System.nanoTime());
                    }
                  } catch (IOException e) {
                    // not counted
                  }
                });
        reader.start();
        readers.add(reader);
      }
      long begin = System.nanoTime();
      var stopped = gateway.gateway().drain();
      for (Thread reader : readers) {
        reader.join();
      }
      List<Long> times =
          closed.stream().map(at -> TimeUnit.NANOSECONDS.toMillis(at - begin)).sorted().toList();
      assertThat(times).hasSize(clients);
      // Over three seconds: the first at once, the last when they are over, and not many together.
      assertThat(times.get(clients - 1)).isBetween(600L, 8_500L);
      assertThat(times.get(clients - 1) - times.get(0)).isGreaterThan(300);
      assertThat(times.stream().map(at -> at / 50).distinct().count()).isGreaterThan(5);
      stopped.await(20, TimeUnit.SECONDS);
    } finally {
      for (RawClient client : idle) {
        client.close();
      }
    }
  }

  @Test
  void shouldStopAtTheLimitWhateverIsInFlight() throws Exception {
    try (ScriptedServer server = new ScriptedServer(request -> {});
        RunningGateway gateway =
            RunningGateway.before(server.address()).timeout("60s").process("drain: 400ms").start();
        RawClient client = new RawClient(gateway.address())) {
      client.send("get never\r\n");
      assertThat(Patience.soon(() -> gateway.inFlight() == 1)).isTrue();
      long begin = System.nanoTime();
      gateway.gateway().drain().await(20, TimeUnit.SECONDS);
      assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin))
          .isGreaterThanOrEqualTo(390L);
      client.readToEnd(Patience.LIMIT);
    }
  }

  /** By a gateway that drains, or because of their age; most wait for a limit of seconds. */
  @TestFactory
  List<DynamicTest> shouldAnswerClientsThatMustLeave() {
    return new SideBySide()
        .add(
            "should not close a client that asks without a pause",
            DrainTest::shouldNotCloseAClientThatAsksWithoutAPause)
        .add(
            "should answer a client that always has a request in flight before the limit",
            DrainTest::shouldAnswerAClientThatAlwaysHasARequestInFlightBeforeTheLimit)
        .add(
            "should answer what came before a large value that is still arriving",
            DrainTest::shouldAnswerWhatCameBeforeALargeValueThatIsStillArriving)
        .add(
            "should close an old client that always has a request in flight",
            DrainTest::shouldCloseAnOldClientThatAlwaysHasARequestInFlight)
        .add(
            "should let an old client finish what it is at",
            DrainTest::shouldLetAnOldClientFinishWhatItIsAt)
        .tests(5, Duration.ofMinutes(3));
  }

  @Test
  void shouldSendAllOfALastReplyBeforeItCloses() throws Exception {
    int length = 12_000_000; // more than the sockets on the way take
    String value = "x".repeat(length);
    ScriptedServer.Script large = request -> request.replyValues(key -> value);
    try (ScriptedServer server = new ScriptedServer(large);
        RunningGateway gateway =
            RunningGateway.before(server.address())
                .limits("itemSize: 32MiB, outBuffer: 16MiB, stall: 15s")
                .timeout("20s")
                .process("drain: 15s")
                .start();
        RawClient quitting = new RawClient(gateway.address(), 4096);
        RawClient drained = new RawClient(gateway.address(), 4096)) {
      quitting.send("get large\r\nquit\r\n");
      drained.send("get large\r\n");
      assertThat(Patience.soon(() -> !server.requests().isEmpty())).isTrue();
      Thread.sleep(1_000); // both replies are in the gateway, and no socket takes them whole
      var stopped = gateway.gateway().drain();
      Thread.sleep(300);
      int expected = ("VALUE large 0 " + length + "\r\n" + value + "\r\nEND\r\n").length();
      assertThat(quitting.readToEnd(Patience.LIMIT)).hasSize(expected);
      assertThat(drained.readToEnd(Patience.LIMIT)).hasSize(expected);
      stopped.await(30, TimeUnit.SECONDS);
    }
  }

  /**
   * Asks without a pause for longer than the time in which clients leave, and then stops. Who is
   * closed must have been quiet: it was, since it sent the last request that was answered.
   */
  private static void shouldBeQuietBeforeItIsClosed(RawClient client, Duration busy) {
    long end = System.nanoTime() + busy.toNanos();
    long sent = System.nanoTime();
    try {
      while (System.nanoTime() < end) {
        long now = System.nanoTime();
        assertThat(client.ask("mn\r\n")).isEqualTo("MN");
        sent = now;
      }
      assertThat(client.readToEnd(Patience.LIMIT)).isEmpty();
    } catch (IOException e) {
      // closed while it asked
    }
    assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sent)).isGreaterThanOrEqualTo(50L);
  }

  private static void shouldNotCloseAClientThatAsksWithoutAPause() throws Exception {
    try (ScriptedServer server = new ScriptedServer(ScriptedServer::behave);
        RunningGateway gateway =
            RunningGateway.before(server.address()).process("drain: 6s").start();
        RawClient client = new RawClient(gateway.address())) {
      assertThat(client.ask("mn\r\n")).isEqualTo("MN");
      var stopped = gateway.gateway().drain();
      shouldBeQuietBeforeItIsClosed(client, Duration.ofMillis(2_400));
      stopped.await(20, TimeUnit.SECONDS);
    }
  }

  /**
   * A client that keeps two requests in flight is never between two. It is told that it must leave
   * by the end of its replies, and not by a reset.
   */
  private static void shouldAnswerAllBeforeItCloses(RawClient client) throws Exception {
    String set = "set k 0 0 1\r\nx\r\n";
    client.send(set);
    String line = "STORED";
    while (!line.isEmpty()) { // until the end of the replies; a reset would be an exception
      assertThat(line).isEqualTo("STORED");
      try {
        client.send(set);
      } catch (IOException e) {
        // it is closed; the replies can still be read
      }
      line = client.lineOrEnd();
    }
  }

  private static ScriptedServer late() throws IOException {
    return new ScriptedServer(
        request -> {
          Thread.sleep(30); // a reply comes while another request is with the server
          ScriptedServer.behave(request);
        });
  }

  private static void shouldAnswerAClientThatAlwaysHasARequestInFlightBeforeTheLimit()
      throws Exception {
    try (ScriptedServer server = late();
        RunningGateway gateway =
            RunningGateway.before(server.address()).process("drain: 6s").start();
        RawClient client = new RawClient(gateway.address())) {
      assertThat(client.ask("mn\r\n")).isEqualTo("MN");
      var stopped = gateway.gateway().drain();
      shouldAnswerAllBeforeItCloses(client);
      stopped.await(20, TimeUnit.SECONDS);
    }
  }

  /** The value behind its last complete request will not be complete. */
  private static void shouldAnswerWhatCameBeforeALargeValueThatIsStillArriving() throws Exception {
    CountDownLatch goesOn = new CountDownLatch(1);
    try (ScriptedServer server = new ScriptedServer(after(goesOn));
        RunningGateway gateway =
            RunningGateway.before(server.address()).limits("maxAge: 1s").timeout("1m").start();
        RawClient client = new RawClient(gateway.address())) {
      client.send("get a\r\nset k 0 0 900000\r\n" + "x".repeat(100_000));
      assertThat(Patience.soon(() -> gateway.inFlight() == 1)).isTrue();
      Thread.sleep(6_500); // five seconds behind its age, its input has ended
      goesOn.countDown();
      try {
        client.send("x".repeat(100_000));
      } catch (IOException e) {
        // it is closed; the replies can still be read
      }
      assertThat(client.line()).isEqualTo("VALUE a 0 1");
      assertThat(client.line()).isEqualTo("a");
      assertThat(client.line()).isEqualTo("END");
    }
  }

  private static void shouldCloseAnOldClientThatAlwaysHasARequestInFlight() throws Exception {
    try (ScriptedServer server = late();
        RunningGateway gateway =
            RunningGateway.before(server.address()).limits("maxAge: 1s").start();
        RawClient client = new RawClient(gateway.address())) {
      assertThat(client.ask("mn\r\n")).isEqualTo("MN");
      shouldAnswerAllBeforeItCloses(client);
    }
  }

  private static void shouldLetAnOldClientFinishWhatItIsAt() throws Exception {
    try (ScriptedServer server = new ScriptedServer(ScriptedServer::behave);
        RunningGateway gateway =
            RunningGateway.before(server.address()).limits("maxAge: 1s").start();
        RawClient client = new RawClient(gateway.address())) {
      shouldBeQuietBeforeItIsClosed(client, Duration.ofMillis(2_400));
    }
  }

  /** Its requests are with a server connection, and the server has yet to read or answer them. */
  @Test
  void shouldWaitForTheRequestsOfClientsThatHaveLeft() throws Exception {
    CountDownLatch goesOn = new CountDownLatch(1);
    try (ScriptedServer server = ScriptedServer.withSmallBuffers(after(goesOn));
        RunningGateway gateway =
            RunningGateway.before(server.address()).timeout("60s").process("drain: 60s").start()) {
      try (RawClient client = new RawClient(gateway.address())) {
        for (int i = 0; i < 10; i++) {
          client.send("set k%d 0 0 1000 noreply\r\n%s\r\n".formatted(i, "v".repeat(1000)));
        }
        assertThat(Patience.soon(() -> !server.lines().isEmpty())).isTrue();
        client.reset();
      }
      assertThat(Patience.soon(() -> gateway.gateway().scrape().contains(NO_CLIENTS))).isTrue();
      var stopped = gateway.gateway().drain();
      Thread.sleep(500);
      assertThat(stopped.isComplete()).isFalse();
      goesOn.countDown();
      stopped.await(60, TimeUnit.SECONDS);
      assertThat(server.broken()).isEmpty();
      assertThat(server.lines()).filteredOn(line -> line.startsWith("set k")).hasSize(10);
    }
  }

  /** A request that has failed for want of an answer is nothing to wait for. */
  @Test
  void shouldNotWaitForAServerThatHasNotAnsweredInTime() throws Exception {
    try (ScriptedServer server = new ScriptedServer(request -> {});
        RunningGateway gateway =
            RunningGateway.before(server.address()).timeout("50ms").process("drain: 60s").start()) {
      try (RawClient client = new RawClient(gateway.address())) {
        assertThat(client.ask("get never\r\n")).startsWith("SERVER_ERROR");
      }
      assertThat(Patience.soon(() -> gateway.gateway().scrape().contains(NO_CLIENTS))).isTrue();
      long begin = System.nanoTime();
      gateway.gateway().drain().await(60, TimeUnit.SECONDS);
      assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin)).isLessThan(30);
    }
  }
}
