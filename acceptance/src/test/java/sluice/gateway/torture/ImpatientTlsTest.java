package sluice.gateway.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.fixtures.RealMemcached;
import sluice.gateway.tls.Certificates;
import sluice.testkit.Patience;

/**
 * Clients with TLS that close without waiting for replies, and without TLS's own ending. The kernel
 * then resets the connection, because it has bytes for them: session tickets, if nothing else. The
 * gateway's next write fails, and its TLS does not tell.
 */
class ImpatientTlsTest {
  private static final int CLIENTS = 10;
  private static final int SETS = 100;

  @TempDir private Path directory;

  private Certificates authority;

  @BeforeEach
  void issue() throws Exception {
    authority = Certificates.of(directory, "ca");
    authority.issue("server");
  }

  private RunningGateway start(String transport, RealMemcached server) {
    return RunningGateway.of(
        """
        admin: {bind: 127.0.0.1:0}
        process: {eventLoops: 1, transport: %s}
        listeners: {cache: {bind: 127.0.0.1:0, route: cache, tls: {%s}}}
        routes: {cache: [{pool: cache}]}
        pools: {cache: {servers: ["127.0.0.1:%d"], timeout: 10s}}
        """
            .formatted(transport, authority.identity("server"), server.address().getPort()));
  }

  private static void sendAndReset(
      Certificates authority, InetSocketAddress address, String requests) throws Exception {
    try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
      SSLSocket encrypted =
          (SSLSocket)
              authority
                  .context(null)
                  .getSocketFactory()
                  .createSocket(socket, "localhost", address.getPort(), false);
      encrypted.startHandshake();
      encrypted.getOutputStream().write(requests.getBytes(ISO_8859_1));
    }
  }

  private static void assertNothingIsLeft(RunningGateway gateway) {
    assertThat(Patience.soon(() -> gateway.inFlight() == 0 && gateway.bufferedBytes() == 0))
        .isTrue();
    assertThat(
            Patience.soon(
                () ->
                    gateway
                        .gateway()
                        .scrape()
                        .contains("sluice_connections{listener=\"cache\"} 0")))
        .isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void shouldEndAClientThatResetsInsideALargeValue(String transport) throws Exception {
    try (RealMemcached server = RealMemcached.start();
        RunningGateway gateway = start(transport, server)) {
      for (int i = 0; i < CLIENTS; i++) {
        sendAndReset(
            authority,
            gateway.address(),
            "get nokey\r\nset big 0 0 300000\r\n" + "x".repeat(10_000));
      }
      assertNothingIsLeft(gateway);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void shouldCarryOutWhatAClientSentBeforeItReset(String transport) throws Exception {
    try (RealMemcached server = RealMemcached.start();
        RunningGateway gateway = start(transport, server)) {
      for (int i = 0; i < CLIENTS; i++) {
        StringBuilder sets = new StringBuilder("get nokey\r\n");
        for (int j = 0; j < SETS; j++) {
          sets.append("set k%d-%d 0 0 1000 noreply\r\n%s\r\n".formatted(i, j, "x".repeat(1000)));
        }
        sendAndReset(authority, gateway.address(), sets.toString());
      }
      assertNothingIsLeft(gateway);
      assertThat(Patience.soon(() -> stored(server) == CLIENTS * SETS))
          .as("%d are stored", stored(server))
          .isTrue();
    }
  }

  private static int stored(RealMemcached server) throws IOException {
    int stored = 0;
    try (RawClient direct = new RawClient(server.address())) {
      for (int i = 0; i < CLIENTS; i++) {
        for (int j = 0; j < SETS; j++) {
          stored += direct.ask("mg k%d-%d\r\n".formatted(i, j)).equals("HD") ? 1 : 0;
        }
      }
    }
    return stored;
  }
}
