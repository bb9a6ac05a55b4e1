package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.fixtures.RealMemcached;
import sluice.testkit.Patience;

/**
 * Values that must be whole before they are sent on, here to be compressed, and that do not fit
 * into the memory of the process all at once: they come one after the other, and not at all from
 * clients that stop in the middle.
 */
class GatheredValuesTest extends ClosingTest {
  private static final int CLIENTS = 40;
  private static final int VALUE = 900_000;

  private RunningGateway start(int loops) {
    return start(loops, "");
  }

  private RunningGateway start(int loops, String limits) {
    RealMemcached server = closing(RealMemcached.start("-m", "256"));
    return closing(
        RunningGateway.of(
            """
            admin: {bind: 127.0.0.1:0}
            process: {eventLoops: %d, memory: 16MiB}
            listeners: {cache: {bind: 127.0.0.1:0, route: cache%s}}
            routes: {cache: [{pool: cache}]}
            pools:
              cache:
                servers: ["127.0.0.1:%d"]
                timeout: 10s
                compression: {algorithm: lz4, above: 1KiB}
            """
                .formatted(loops, limits, server.address().getPort())));
  }

  private static String begin(String key) {
    return "set " + key + " 0 0 " + VALUE + "\r\n" + "v".repeat(VALUE / 2);
  }

  private static final String END = "v".repeat(VALUE / 2) + "\r\n";

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void shouldTakeThemOneAfterTheOther(int loops) throws Exception {
    RunningGateway gateway = start(loops, ", limits: {stall: 10s}"); // until all meet at their half
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    CountDownLatch half = new CountDownLatch(CLIENTS);
    List<Future<String>> answers = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      RawClient client = closing(new RawClient(gateway.address()));
      String key = "k" + i;
      answers.add(
          threads.submit(
              () -> {
                client.send(begin(key));
                half.countDown();
                half.await(5, TimeUnit.SECONDS); // or the socket takes no more
                return client.ask(END);
              }));
    }
    for (Future<String> answer : answers) {
      assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo("STORED");
    }
    threads.shutdown();
    RawClient reads = closing(new RawClient(gateway.address()));
    for (int i = 0; i < CLIENTS; i++) {
      assertThat(reads.ask("mg k" + i + " s\r\n")).isEqualTo("HD s" + VALUE);
    }
    assertThat(Patience.soon(() -> gateway.gateway().bufferedBytes() == 0)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void shouldNotWaitForClientsThatStopInTheMiddle(int loops) throws Exception {
    RunningGateway gateway = start(loops);
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    for (int i = 0; i < CLIENTS; i++) {
      RawClient client = closing(new RawClient(gateway.address()));
      String key = "k" + i;
      threads.execute(
          () -> {
            try {
              client.send(begin(key)); // and nothing more
            } catch (IOException e) {
              // closed, which is what is wanted
            }
          });
    }
    RawClient sends = closing(new RawClient(gateway.address()));
    for (int i = 0; i < 10; i++) {
      assertThat(sends.ask(begin("good") + END)).isEqualTo("STORED");
    }
    threads.shutdown();
    assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
  }

  /** What they have room for is less than what is called short, and too much for one more value. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void shouldNotWaitForClientsThatSendByteByByte(int loops) throws Exception {
    RunningGateway gateway = start(loops, ", limits: {itemSize: 8MiB}");
    ExecutorService threads = Executors.newFixedThreadPool(2);
    AtomicInteger closed = new AtomicInteger();
    for (int i = 0; i < 2; i++) {
      RawClient slow = closing(new RawClient(gateway.address()));
      slow.send("set slow" + i + " 0 0 5500000\r\n" + "v".repeat(100_000));
      threads.execute(
          () -> {
            try {
              while (true) {
                slow.send("v");
                TimeUnit.MILLISECONDS.sleep(10);
              }
            } catch (IOException | InterruptedException e) {
              closed.incrementAndGet();
            }
          });
    }
    assertThat(Patience.soon(() -> gateway.bufferedBytes() >= 11_000_000)).isTrue();
    RawClient sends = closing(new RawClient(gateway.address()));
    String value = "v".repeat(4_000_000);
    assertThat(sends.ask("set good 0 0 " + value.length() + "\r\n" + value + "\r\n"))
        .isEqualTo("STORED");
    assertThat(Patience.soon(() -> closed.get() > 0)).isTrue();
    threads.shutdownNow();
  }
}
