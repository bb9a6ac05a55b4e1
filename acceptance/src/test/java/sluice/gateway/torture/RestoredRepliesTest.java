package sluice.gateway.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedServer;

/**
 * Values that the server has in a hundred bytes and that clients get as a megabyte: hundreds of
 * them arrive in one read.
 */
class RestoredRepliesTest {
  private static final long MEMORY = 8 << 20;
  private static final int LENGTH = 1_000_000;
  private static final int READS = 120;

  /** Replies that one client may have before its servers are paused for it. */
  private static final int LEAST = 2 * LENGTH;

  private static final String COMPRESSED = "compression: {algorithm: zstd}";
  private static final String REPLACED =
      "values: {replace: [{find: a, with: %s}, {find: b, with: %s}]}"
          .formatted("A".repeat(1_000), "B".repeat(1_000));

  /**
   * Memcached that sends its first answers to gets in one write, as a busy server does.
   *
   * @param reads the number of these answers
   */
  private static ScriptedServer server(int reads) throws IOException {
    Map<String, String> stored = new ConcurrentHashMap<>();
    StringBuilder together = new StringBuilder(); // one connection brings all gets
    AtomicInteger left = new AtomicInteger(reads);
    return new ScriptedServer(
        request -> {
          String[] words = request.line().split(" ", -1);
          if (words[0].equals("set")) {
            String head = "VALUE %s %s %s\r\n".formatted(words[1], words[2], words[4]);
            stored.put(words[1], head + request.data());
            request.reply("STORED\r\n");
          } else if (words[0].equals("get")) {
            together.append(stored.getOrDefault(words[1], "")).append("END\r\n");
            if (left.decrementAndGet() <= 0) {
              request.reply(together.toString());
              together.setLength(0);
            }
          } else {
            request.reply("MN\r\n");
          }
        });
  }

  private static RunningGateway start(ScriptedServer server, int loops, String values) {
    return RunningGateway.of(
        """
        admin: {bind: 127.0.0.1:0}
        process: {eventLoops: %d, memory: 8MiB}
        listeners: {cache: {bind: 127.0.0.1:0, route: cache, limits: {stall: 1m, inFlight: 1024}}}
        routes: {cache: [{pool: cache}]}
        pools:
          cache:
            servers: ["127.0.0.1:%d"]
            timeout: 30s
            connections: {max: 1}
            %s
        """
            .formatted(loops, server.address().getPort(), values));
  }

  private static byte[] value(String key, boolean compressed) {
    return compressed
        ? key.repeat(LENGTH).getBytes(ISO_8859_1)
        : key.toUpperCase(Locale.ROOT).repeat(LENGTH).getBytes(ISO_8859_1);
  }

  @ParameterizedTest
  @CsvSource({"1, true", "3, true", "1, false"})
  void shouldNotRestoreMoreThanMemoryHolds(int loops, boolean compressed) throws Exception {
    try (ScriptedServer server = server(READS);
        RunningGateway gateway = start(server, loops, compressed ? COMPRESSED : REPLACED);
        RawClient writer = new RawClient(gateway.address());
        RawClient slow = new RawClient(gateway.address(), 4096);
        RawClient neighbour = new RawClient(gateway.address())) {
      for (String key : new String[] {"a", "b"}) {
        String stored = key.repeat(compressed ? LENGTH : LENGTH / 1_000);
        writer.send("set " + key + " 0 0 " + stored.length() + "\r\n" + stored + "\r\n");
        assertThat(writer.line()).isEqualTo("STORED");
      }

      slow.send("get a\r\nget b\r\n".repeat(READS / 2));
      long most = 0;
      assertThat(Patience.soon(() -> gateway.bufferedBytes() > LEAST)).isTrue();
      for (int i = 0; i < 50; i++) { // it may not grow any more
        most = Math.max(most, gateway.bufferedBytes());
        TimeUnit.MILLISECONDS.sleep(10);
      }
      assertThat(most).isLessThan(MEMORY + 2 * LENGTH);

      neighbour.send("get nothing\r\nget a\r\nmn\r\n");
      assertThat(neighbour.line()).isEqualTo("END");
      shouldBe(neighbour, "a", compressed);
      assertThat(neighbour.line()).isEqualTo("MN");

      for (int i = 0; i < READS; i++) {
        shouldBe(slow, i % 2 == 0 ? "a" : "b", compressed);
      }
      assertThat(Patience.soon(() -> gateway.inFlight() == 0 && gateway.bufferedBytes() == 0))
          .isTrue();
    }
  }

  private static void shouldBe(RawClient client, String key, boolean compressed) throws Exception {
    assertThat(client.line()).isEqualTo("VALUE " + key + " 0 " + LENGTH);
    assertThat(client.read(LENGTH)).isEqualTo(value(key, compressed));
    assertThat(client.line()).isEmpty();
    assertThat(client.line()).isEqualTo("END");
  }
}
