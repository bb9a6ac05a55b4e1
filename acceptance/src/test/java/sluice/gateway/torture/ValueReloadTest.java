package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.config.Loader;
import sluice.gateway.fixtures.Gateways;
import sluice.gateway.fixtures.RealMemcached;
import sluice.gateway.process.Gateway;
import sluice.testkit.Bytes;
import sluice.testkit.Patience;

/** What is done with values changes under those who store and read them. */
class ValueReloadTest {
  private static final int RELOADS = 20;
  private static final int CLIENTS = 4;
  private static final int FLAG = 0x10000; // the one that compressed values carry
  private static final int[] LENGTHS = {0, 10, 100, 3000, 70_000};
  private static final String OLD = "http://old.example/";
  private static final String WORDS = "see " + OLD + " for more\r\n";

  @TempDir private Path directory;

  private static String yaml(RealMemcached server, int loops, String dialect, String settings) {
    return """
    admin: {bind: 127.0.0.1:0}
    process: {eventLoops: %d, drain: 2s}
    listeners: {cache: {bind: 127.0.0.1:0, protocol: memcached, route: cache}}
    routes: {cache: [{pool: cache}]}
    pools: {cache: {timeout: 10s, servers: ["127.0.0.1:%d"], dialect: %s%s}}
    """
        .formatted(loops, server.address().getPort(), dialect, settings);
  }

  private static String text(int length) {
    return WORDS.repeat(length / WORDS.length() + 1).substring(0, length);
  }

  /** A client that stores and reads by turns what nobody else does. */
  private static final class Client {
    private final RawClient lines;
    private final RawClient packets;
    private final String name;
    private final int flags;
    private final Set<String> afterwards;
    private final Random random;
    private long requests;

    /**
     * @param replacements what may have become of {@link #OLD} in a value that is read
     */
    Client(InetSocketAddress address, int number, int flags, Set<String> replacements)
        throws IOException {
      lines = new RawClient(address);
      packets = new RawClient(address);
      name = "client-" + number;
      this.flags = flags | number << 2; // none says that the client has compressed
      afterwards = replacements;
      random = new Random(number);
    }

    long run(AtomicBoolean stop) throws IOException {
      try (lines;
          packets) {
        while (!stop.get()) {
          for (int length : LENGTHS) {
            int exact = length + random.nextInt(10);
            storeAndRead(text(exact), "k" + random.nextInt(5));
          }
        }
      }
      return requests;
    }

    private void storeAndRead(String value, String suffix) throws IOException {
      String key = name + suffix;
      lines.send(
          "set %s %d 0 %d\r\n%s\r\n".formatted(key, flags, value.length(), value)
              + "append %s 0 0 4\r\ntail\r\n".formatted(key)
              + "prepend %s 0 0 4\r\nhead\r\n".formatted(key)
              + "gets %s\r\nmg %s s f v\r\n".formatted(key, key));
      for (int i = 0; i < 3; i++) {
        assertThat(lines.line()).isEqualTo("STORED");
      }
      String whole = "head" + value + "tail";
      String[] found = lines.line().split(" ", -1);
      assertThat(found).hasSize(5).startsWith("VALUE", key, Integer.toString(flags));
      String read = block(Integer.parseInt(found[3]));
      check(whole, read);
      assertThat(lines.line()).isEqualTo("END");
      found = lines.line().split(" ", -1);
      assertThat(found).hasSize(4).startsWith("VA").endsWith("f" + flags);
      assertThat(found[2]).isEqualTo("s" + found[1]);
      check(whole, block(Integer.parseInt(found[1])));
      check(whole, packet(key));
      requests += 6;
    }

    private String block(int length) throws IOException {
      byte[] bytes = lines.read(length + 2);
      return new Bytes().bytes(bytes).string(0, length);
    }

    /** The value as a packet has it. */
    private String packet(String key) throws IOException {
      Bytes request = new Bytes().int8(0x80).int8(0).int16(key.length()).int32(0);
      packets.send(request.int32(key.length()).int32(0).int64(0).ascii(key).toArray());
      Bytes header = new Bytes().bytes(packets.read(24));
      assertThat(header.int32At(4)).as("extras and status").isEqualTo(0x0400_0000);
      Bytes body = new Bytes().bytes(packets.read(header.int32At(8)));
      assertThat(body.int32At(0)).isEqualTo(flags);
      return body.string(4, body.end);
    }

    private void check(String whole, String read) {
      assertThat(afterwards)
          .as("what was stored, as one of the configurations hands it out")
          .anyMatch(now -> read.equals(whole.replace(OLD, now)));
    }
  }

  private void reload(
      int loops,
      String dialect,
      String first,
      List<String> settings,
      int flags,
      Set<String> replacements)
      throws Exception {
    Path file = directory.resolve("sluice.yaml");
    try (RealMemcached server = RealMemcached.start()) {
      Files.writeString(file, yaml(server, loops, dialect, first));
      Gateway gateway =
          Gateways.start(Loader.load(file).configuration(), file).await(20, TimeUnit.SECONDS);
      ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
      try {
        String at = gateway.address("cache");
        int port = Integer.parseInt(at.substring(at.lastIndexOf(':') + 1));
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        Client before = new Client(address, 99, flags, replacements);
        before.storeAndRead(text(5000), "before");
        AtomicBoolean stop = new AtomicBoolean();
        List<Future<Long>> clients = new ArrayList<>();
        for (int number = 0; number < CLIENTS; number++) {
          Client client = new Client(address, number, flags, replacements);
          clients.add(threads.submit(() -> client.run(stop)));
        }
        for (int i = 0; i < RELOADS; i++) {
          String next = settings.get(i % settings.size());
          Files.writeString(file, yaml(server, loops, dialect, next));
          assertThat(gateway.reload().await(20, TimeUnit.SECONDS)).isEmpty();
          TimeUnit.MILLISECONDS.sleep(i % 20);
          before.check("head" + text(5000) + "tail", before.packet("client-99before"));
        }
        stop.set(true);
        long requests = 0;
        for (Future<Long> client : clients) {
          requests += client.get(20, TimeUnit.SECONDS);
        }
        assertThat(requests).isGreaterThan(RELOADS);
        String applied = "sluice_reloads_total{result=\"applied\"} ";
        String line =
            gateway
                .scrape()
                .lines()
                .filter(each -> each.startsWith(applied))
                .findAny()
                .orElseThrow();
        // the gateway's own look at the file may come between a change and its reload
        assertThat(Double.parseDouble(line.substring(applied.length())))
            .isGreaterThanOrEqualTo(RELOADS);
        before.lines.close();
        before.packets.close();
        assertThat(Patience.soon(() -> gateway.bufferedBytes() == 0)).isTrue();
      } finally {
        threads.shutdownNow();
        gateway.close().await(20, TimeUnit.SECONDS);
      }
    }
  }

  private static final List<String> COMPRESSIONS =
      List.of(
          ", compression: {algorithm: zstd, above: 64B}",
          ", compression: {algorithm: lz4, above: 1KiB, keepIfUnder: 50%}",
          ", compression: {algorithm: deflate, above: 64B}",
          ", compression: {above: 1GiB}");

  @ParameterizedTest
  @ValueSource(strings = {"same", "meta", "binary"})
  void shouldReadWhatWasStoredWithAnotherCompression(String dialect) throws Exception {
    reload(2, dialect, COMPRESSIONS.get(3), COMPRESSIONS, FLAG, Set.of(OLD));
  }

  @Test
  void shouldReadWhatWasStoredBeforeThereWasCompression() throws Exception {
    // One loop: one that has not begun yet would hand out what another has compressed.
    reload(1, "same", "", COMPRESSIONS, 0, Set.of(OLD));
  }

  @Test
  void shouldReadValuesWithWhatIsReplacedBeforeOrAfterAChange() throws Exception {
    String replace = ", values: {replace: [{find: \"http://old.example/\", with: \"%s\"}]}";
    reload(
        2,
        "same",
        COMPRESSIONS.get(3),
        List.of(
            COMPRESSIONS.get(3) + replace.formatted("https://new.example/"),
            COMPRESSIONS.get(1) + replace.formatted("-"),
            COMPRESSIONS.get(0) + replace.formatted("-"),
            COMPRESSIONS.get(3)),
        0,
        Set.of(OLD, "https://new.example/", "-"));
  }
}
