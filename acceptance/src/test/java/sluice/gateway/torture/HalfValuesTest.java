package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedServer;

/**
 * A long value that is not sent on before it is whole, because it is kept or changed: half of it is
 * here when the replies before it are written, and must not be written with them.
 */
class HalfValuesTest extends ClosingTest {
  private static final int LENGTH = 100_000;
  private static final int HALF = 50_000; // more than is written of other values as they come
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final CountDownLatch halfIsHere = new CountDownLatch(1);
  private final CountDownLatch firstIsAnswered = new CountDownLatch(1);

  private static String valueOf(int length) {
    return "v".repeat(length);
  }

  private void answersLate(ScriptedServer.Request request)
      throws IOException, InterruptedException {
    assertThat(halfIsHere.await(10, TimeUnit.SECONDS)).isTrue();
    request.replyValues(key -> "first");
  }

  private void answersInHalves(ScriptedServer.Request request)
      throws IOException, InterruptedException {
    String[] words = request.line().split(" ", -1);
    String unique = words[0].equals("gets") ? " 1" : "";
    for (int i = 1; i < words.length; i++) {
      if (words[i].equals("long")) {
        request.reply("VALUE long 0 " + LENGTH + unique + "\r\n" + valueOf(HALF));
        assertThat(firstIsAnswered.await(10, TimeUnit.SECONDS)).isTrue();
        request.reply(valueOf(LENGTH - HALF) + "\r\n");
      } else {
        request.reply("VALUE short 0 5" + unique + "\r\nshort\r\n");
      }
    }
    request.reply("END\r\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "nearCache: {size: 4MiB, ttl: 1h}, |",
        "| , values: {replace: [{find: x, with: y}]}",
        "nearCache: {size: 4MiB, ttl: 1h}, | , values: {replace: [{find: x, with: y}]}",
        "|", // which is written as it comes
      })
  void shouldNotBeWrittenBehindAnEarlierReply(String rule, String pool) throws Exception {
    ScriptedServer late = closing(new ScriptedServer(this::answersLate));
    ScriptedServer halves = closing(new ScriptedServer(this::answersInHalves));
    String more = ", timeout: 10s" + (pool == null ? "" : pool);
    RunningGateway gateway =
        closing(
            RunningGateway.routed(
                1,
                "{match: {prefix: first}, pool: a}, {" + (rule == null ? "" : rule) + "pool: b}",
                RunningGateway.pools(more, late.address(), halves.address())));
    RawClient client = client(gateway.address());
    client.send("get first\r\nget long\r\nget short\r\n");
    assertThat(Patience.within(PATIENCE, () -> gateway.bufferedBytes() >= HALF)).isTrue();
    halfIsHere.countDown();
    assertThat(client.line()).isEqualTo("VALUE first 0 5");
    assertThat(client.line()).isEqualTo("first");
    assertThat(client.line()).isEqualTo("END");
    firstIsAnswered.countDown();
    assertThat(client.line()).isEqualTo("VALUE long 0 " + LENGTH);
    assertThat(client.line()).isEqualTo(valueOf(LENGTH));
    assertThat(client.line()).isEqualTo("END");
    assertThat(client.line()).isEqualTo("VALUE short 0 5");
    assertThat(client.line()).isEqualTo("short");
    assertThat(client.line()).isEqualTo("END");
  }
}
