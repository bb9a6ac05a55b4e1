package sluice.gateway.neighbours;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.config.LoadResult;
import sluice.config.Loader;
import sluice.gateway.Gateway;
import sluice.gateway.neighbours.ModelServer.Lines;
import sluice.gateway.suite.Acceptor;
import sluice.gateway.suite.Patience;

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
    private final Acceptor acceptor;

    Replaced(Lines first, Lines next) throws IOException {
      this.first = new ModelServer(first);
      this.next = new ModelServer(next);
      acceptor = Acceptor.onLoopback(0, "replaced server", this::serve);
    }

    private void serve(int number, Socket socket) {
      ModelServer server = number == 1 ? first : next;
      InetSocketAddress address = server.address();
      try (socket;
          Socket behind = new Socket(address.getAddress(), address.getPort())) {
        Acceptor.start("requests", () -> carry(socket, behind));
        carry(behind, socket);
      } catch (IOException e) {
        // closed
      }
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
      return first.get(key) != null || next.get(key) != null;
    }

    @Override
    public void close() throws IOException {
      acceptor.close();
      first.close();
      next.close();
    }
  }

  /** Pools a and b, of which clients have two connections each. */
  private static Gateway gateway(String rule, String pool, Replaced a, Replaced b)
      throws Exception {
    String yaml =
        """
        admin: {bind: 127.0.0.1:0}
        process: {eventLoops: 1}
        listeners: {cache: {bind: 127.0.0.1:0, route: cache, limits: {itemSize: 256KiB}}}
        routes: {cache: [%s]}
        pools:
          a: {servers: ["%s"], timeout: 10s, connections: {perEventLoop: 2}%s}
          b: {servers: ["%s"], timeout: 10s, connections: {perEventLoop: 2}%s}
        """
            .formatted(rule, a.name(), pool, b.name(), pool);
    LoadResult loaded = Loader.parse("test.yaml", yaml);
    assertThat(loaded.problems()).isEmpty();
    return Gateway.start(loaded.configuration()).await(20, TimeUnit.SECONDS);
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

    String ask(String request) throws IOException {
      socket.getOutputStream().write(request.getBytes(ISO_8859_1));
      return in.readLine();
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

  /** Two clients, of which the first is on connections to the older processes. */
  private interface Use {
    void with(Client older, Client newer) throws Exception;
  }

  private static void use(Gateway gateway, Use use) throws Exception {
    try (Client one = new Client(gateway);
        Client other = new Client(gateway)) {
      assertThat(one.ask("set one 0 0 1\r\n1\r\n")).isEqualTo("STORED");
      assertThat(other.ask("set other 0 0 1\r\n1\r\n")).isEqualTo("STORED");
      use.with(one, other);
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
          gateway(rule, pool.replace("'", ""), a, b),
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
}
