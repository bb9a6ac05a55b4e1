package sluice.gateway.neighbours;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.config.LoadResult;
import sluice.config.Loader;
import sluice.gateway.fixtures.Gateways;
import sluice.gateway.process.Gateway;
import sluice.testkit.Acceptor;
import sluice.testkit.Patience;
import sluice.testkit.model.Lines;
import sluice.testkit.model.ModelServer;

/**
 * Processes of two versions behind one address, one after the other, as when a server is replaced:
 * each connection is spoken to as the process at its end reads, whatever another has told since.
 */
class MixedVersionsTest {
  private static final String HIDDEN = "set hidden 0 0 1\r\nx\r\n";

  /**
   * One address, of whose connections the first leads to one process, and all others to another.
   */
  private static final class Replaced implements AutoCloseable {
    private final ModelServer first;
    private final ModelServer next;
    private final AtomicInteger texts = new AtomicInteger();
    private final CountDownLatch replaced = new CountDownLatch(1);
    private final Acceptor acceptor;

    Replaced(Lines first, Lines next) throws IOException {
      this.first = new ModelServer(first);
      this.next = new ModelServer(next);
      acceptor = Acceptor.onLoopback(0, "replaced server", this::serve);
    }

    private void serve(int number, Socket socket) {
      try (socket) {
        int byteOne = socket.getInputStream().read();
        if (byteOne < 0 || byteOne == 0x80) {
          return; // the models speak no binary
        }
        boolean isFirst = texts.getAndIncrement() == 0;
        if (!isFirst) {
          replaced.await();
        }
        InetSocketAddress address = (isFirst ? first : next).address();
        try (Socket behind = new Socket(address.getAddress(), address.getPort())) {
          behind.getOutputStream().write(byteOne);
          Acceptor.start("requests", () -> carry(socket, behind));
          carry(behind, socket);
        }
      } catch (IOException | InterruptedException e) {
        // closed
      }
    }

    /** From now on the other process answers, which tells its version last. */
    void replace() {
      replaced.countDown();
    }

    private static void carry(Socket from, Socket to) {
      try {
        from.getInputStream().transferTo(to.getOutputStream());
        to.shutdownOutput();
      } catch (IOException e) {
        // closed
      }
    }

    String name() {
      return "localhost:" + acceptor.address().getPort();
    }

    boolean has(String key) {
      return first.holds(key) || next.holds(key);
    }

    @Override
    public void close() throws IOException {
      acceptor.close();
      first.close();
      next.close();
    }
  }

  /** Pools a and b, of which clients share so many connections. */
  private static Gateway gateway(int shared, String rule, String pool, Replaced a, Replaced b)
      throws Exception {
    String yaml =
        """
        admin: {bind: 127.0.0.1:0}
        process: {eventLoops: 1}
        listeners: {cache: {bind: 127.0.0.1:0, route: cache, limits: {itemSize: 256KiB}}}
        routes: {cache: [%s]}
        pools:
          a: {servers: ["%s"], timeout: 30s, connections: {perEventLoop: %d, connectTimeout: 30s}%s}
          b: {servers: ["%s"], timeout: 30s, connections: {perEventLoop: %d, connectTimeout: 30s}%s}
        """
            .formatted(rule, a.name(), shared, pool, b.name(), shared, pool);
    LoadResult loaded = Loader.parse("test.yaml", yaml);
    assertThat(loaded.problems()).isEmpty();
    return Gateways.start(loaded.configuration()).await(20, TimeUnit.SECONDS);
  }

  private static final class Client implements AutoCloseable {
    private final Socket socket;
    private final BufferedReader in;

    Client(Gateway gateway) throws IOException {
      String address = gateway.address("cache");
      int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
      socket = new Socket(InetAddress.getLoopbackAddress(), port);
      socket.setSoTimeout((int) Patience.LIMIT.toMillis());
      in = new BufferedReader(new InputStreamReader(socket.getInputStream(), ISO_8859_1));
    }

    void send(String request) throws IOException {
      socket.getOutputStream().write(request.getBytes(ISO_8859_1));
    }

    String line() throws IOException {
      return in.readLine();
    }

    String ask(String request) throws IOException {
      send(request);
      return line();
    }

    /** All lines of the replies until one that is the end of the last. */
    String ask(String request, String end) throws IOException {
      StringBuilder all = new StringBuilder();
      String line = ask(request);
      while (!line.equals(end)) {
        assertThat(line).isNotNull().doesNotContain("ERROR");
        all.append(line).append("\r\n");
        line = in.readLine();
      }
      return all.toString();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  /** Two clients, of which the first is on a connection to the older process of pool a. */
  private interface Use {
    void with(Client older, Client newer) throws Exception;
  }

  private static void use(Gateway gateway, Replaced a, Replaced b, Use use) throws Exception {
    b.replace();
    try (Client one = new Client(gateway);
        Client other = new Client(gateway)) {
      one.send("set one 0 0 1\r\n1\r\n");
      other.send("set other 0 0 1\r\n1\r\n");
      assertThat(Patience.soon(() -> a.first.holds("one") || a.first.holds("other"))).isTrue();
      a.replace();
      assertThat(one.line()).isEqualTo("STORED");
      assertThat(other.line()).isEqualTo("STORED");
      boolean inOrder = a.first.holds("one");
      use.with(inOrder ? one : other, inOrder ? other : one);
    } finally {
      gateway.close().await(20, TimeUnit.SECONDS);
    }
  }

  private static String set(String key, String value) {
    return "set " + key + " 5 0 " + value.length() + "\r\n" + value + "\r\n";
  }

  private static String found(String key, String value) {
    return "VALUE " + key + " 5 " + value.length() + "\r\n" + value + "\r\n";
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "{pool: a} | , dialect: meta",
        "{pool: a} | , 'dialect: meta, compression: {above: 64B}'",
        "{replicate: {pools: [a, b]}} | , dialect: meta",
        "{pool: a, shadow: {pool: b}} | , dialect: meta",
        "{warmUp: {cold: a, warm: b}} | , dialect: meta",
        "{pool: a, split: 1KiB} | , dialect: meta"
      })
  void shouldSpeakToEachConnectionAsItsProcessReads(String rule, String pool) throws Exception {
    String small = "v\r\n" + HIDDEN;
    String large = small + "x".repeat(3_000) + "\r\n" + HIDDEN;
    try (Replaced a = new Replaced(Lines.V1_4, Lines.V1_6_45);
        Replaced b = new Replaced(Lines.V1_4, Lines.V1_6_45)) {
      use(
          gateway(2, rule, pool.replace("'", ""), a, b),
          a,
          b,
          (older, newer) -> {
            for (Client client : new Client[] {older, newer, older}) {
              assertThat(client.ask(set("k", small))).isEqualTo("STORED");
              assertThat(client.ask(set("l", large))).isEqualTo("STORED");
              assertThat(client.ask("get k\r\n", "END")).isEqualTo(found("k", small));
              assertThat(client.ask("get l k none\r\n", "END"))
                  .isEqualTo(found("l", large) + found("k", small));
              assertThat(client.ask("append k 0 0 1\r\n+\r\n")).isEqualTo("STORED");
              assertThat(client.ask("get k\r\n", "END")).isEqualTo(found("k", small + "+"));
              assertThat(client.ask(set("n", "17"))).isEqualTo("STORED");
              assertThat(client.ask("incr n 1\r\n")).isEqualTo("18");
              assertThat(client.ask("delete k\r\n")).isEqualTo("DELETED");
              assertThat(client.ask("delete l\r\n")).isEqualTo("DELETED");
              assertThat(client.ask("get k\r\n", "END")).isEmpty();
            }
          });
      assertThat(a.has("hidden")).isFalse();
      assertThat(b.has("hidden")).isFalse();
    }
  }

  /**
   * Large values go over a connection that is acquired: another than those that others have told
   * of.
   */
  @ParameterizedTest(name = "{0} of a client: \"{1}\"")
  @CsvSource(
      delimiter = '|',
      value = {"dialect: same | ms k 100000 F5", "dialect: meta | set k 5 0 100000"})
  void shouldRunNoLargeValueAsCommands(String dialect, String line) throws Exception {
    String value = "v\r\n" + HIDDEN.repeat(100);
    String request = line + "\r\n" + value + "x".repeat(100_000 - value.length()) + "\r\n";
    try (Replaced a = new Replaced(Lines.V1_6_45, Lines.V1_4);
        Replaced b = new Replaced(Lines.V1_6_45, Lines.V1_4)) {
      Gateway gateway = gateway(1, "{pool: a}", ", " + dialect + "", a, b);
      try (Client client = new Client(gateway)) {
        assertThat(client.ask("mg k\r\n")).isEqualTo("EN"); // by one that knows meta
        a.replace();
        assertThat(client.ask(request))
            .isEqualTo("SERVER_ERROR server " + a.name() + " does not know ms");
        assertThat(client.ask("mg k\r\n")).isEqualTo("EN");
      } finally {
        gateway.close().await(20, TimeUnit.SECONDS);
      }
      assertThat(a.has("hidden")).isFalse();
    }
  }

  /** The gateway deletes what a value that is too large would have replaced, and nothing else. */
  @ParameterizedTest
  @ValueSource(strings = {"set a\0b 0 0 300000", "set a\0 0 0 300000"})
  void shouldDeleteNoOtherKeyForAValueThatIsTooLarge(String line) throws Exception {
    try (Replaced a = new Replaced(Lines.V1_6_18, Lines.V1_6_45);
        Replaced b = new Replaced(Lines.V1_6_18, Lines.V1_6_45)) {
      use(
          gateway(2, "{pool: a}", "", a, b),
          a,
          b,
          (older, newer) -> {
            assertThat(older.ask("set a 0 0 1\r\nv\r\n")).isEqualTo("STORED");
            assertThat(older.ask(line + "\r\n" + "x".repeat(300_000) + "\r\n"))
                .isEqualTo("SERVER_ERROR object too large for cache");
            assertThat(older.ask("get a\r\n", "END")).isEqualTo("VALUE a 0 1\r\nv\r\n");
          });
    }
  }
}
