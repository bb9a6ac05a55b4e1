package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.fixtures.RealMemcached;

/**
 * Values of which several servers get a copy, whose connections are other event loops' in part: the
 * same bytes are released by several threads, while those of other clients come and go.
 */
class CopiesBetweenLoopsTest extends ClosingTest {
  private static final int CLIENTS = 12;
  private static final int ROUNDS = 500;
  private static final int LENGTH = 3_000; // which is not copied to be handed over

  private static String value(String key, int round) {
    return (key + ' ' + round + ' ').repeat(LENGTH).substring(0, LENGTH);
  }

  private static void talk(RawClient client, int number) throws Exception {
    for (int i = 0; i < ROUNDS; i++) {
      String key = "key" + number + '-' + i % 7;
      String value = value(key, i);
      client.send("set %s 0 0 %d\r\n%s\r\nget %s\r\n".formatted(key, LENGTH, value, key));
      assertThat(client.line()).isEqualTo("STORED");
      assertThat(client.line()).isEqualTo("VALUE " + key + " 0 " + LENGTH);
      assertThat(client.line()).isEqualTo(value);
      assertThat(client.line()).isEqualTo("END");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{replicate: {pools: [a, b], acks: all, reads: first}}",
        "{pool: a, shadow: {pool: b, percent: 100%}}"
      })
  void shouldGiveEverybodyTheirOwn(String rule) throws Exception {
    RealMemcached first = closing(RealMemcached.start());
    RealMemcached second = closing(RealMemcached.start());
    String pools =
        RunningGateway.pools(
            ", timeout: 20s, connections: {max: 1}", first.address(), second.address());
    RunningGateway gateway = closing(RunningGateway.routed(3, rule, pools));
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    try {
      List<Future<?>> talks = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        RawClient client = client(gateway.address());
        int number = i;
        talks.add(
            threads.submit(
                () -> {
                  talk(client, number);
                  return null;
                }));
      }
      for (Future<?> talk : talks) {
        talk.get(60, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
