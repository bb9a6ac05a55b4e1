package sluice.gateway.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.gateway.fixtures.RealMemcached;
import sluice.testkit.Patience;

/**
 * Clients that request large values without reading them, where the gateway has the values itself:
 * no server's pace stops the requests.
 */
class UnreadRepliesTest extends ClosingTest {
  private static final int REQUESTS = 250;
  private static final int OUT_BUFFER = 1 << 20;

  private RunningGateway gateway(String kind) throws Exception {
    RealMemcached server = closing(RealMemcached.start());
    String near = kind.equals("near") ? ", nearCache: {size: 64MiB, ttl: 1h}" : "";
    String pool =
        kind.equals("near")
            ? "{servers: [\"127.0.0.1:%d\"]}".formatted(server.address().getPort())
            : "{protocol: embedded, size: 64MiB}";
    return closing(
        RunningGateway.of(
            """
            admin: {bind: 127.0.0.1:0}
            process: {eventLoops: 1}
            listeners: {cache: {bind: 127.0.0.1:0, route: cache, limits: {outBuffer: 1MiB}}}
            routes: {cache: [{pool: cache%s}]}
            pools: {cache: %s}
            """
                .formatted(near, pool)));
  }

  private static long mostBuffered(RunningGateway gateway) throws InterruptedException {
    long most = 0;
    for (int i = 0; i < 50; i++) {
      most = Math.max(most, gateway.bufferedBytes());
      Thread.sleep(10);
    }
    return most;
  }

  @ParameterizedTest
  @CsvSource({
    "embedded, 900000, get big, VALUE big 0 900000, END",
    "embedded, 900000, mg big v, VA 900000,",
    "near, 200000, get big, VALUE big 0 200000, END"
  })
  void shouldHoldNoMoreThanTheLimitOfUnreadReplies(
      String kind, int size, String request, String head, String end) throws Exception {
    RunningGateway gateway = gateway(kind);
    String value = "x".repeat(size);
    String reply = head + "\r\n" + value + "\r\n" + (end == null ? "" : end + "\r\n");
    try (RawClient writer = new RawClient(gateway.address())) {
      assertThat(writer.ask("set big 0 0 " + size + "\r\n" + value + "\r\n")).isEqualTo("STORED");
      for (int i = 0; i < 3; i++) { // a near cache has it after some reads
        writer.send(request + "\r\n");
        assertThat(writer.read(reply.length())).isEqualTo(reply.getBytes(ISO_8859_1));
      }
    }
    RawClient client = closing(new RawClient(gateway.address(), 4096));
    client.send((request + "\r\n").repeat(REQUESTS));
    assertThat(Patience.soon(() -> gateway.bufferedBytes() > 0)).isTrue();
    assertThat(mostBuffered(gateway)).isBetween(1L, 2L * OUT_BUFFER + size);
    for (int i = 0; i < REQUESTS; i++) {
      assertThat(client.read(reply.length())).isEqualTo(reply.getBytes(ISO_8859_1));
    }
    assertThat(client.ask("mn\r\n")).isEqualTo("MN");
  }
}
