package sluice.gateway.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.config.Loader;
import sluice.gateway.fixtures.Gateways;
import sluice.gateway.process.Gateway;
import sluice.gateway.tls.Certificates;
import sluice.testkit.Bytes;
import sluice.testkit.LogLines;
import sluice.testkit.Patience;

/** Clients with and without TLS on one port. */
class PlainAndTlsTest {
  @TempDir private Path directory;

  private Certificates authority;
  private Gateway gateway;
  private InetSocketAddress address;

  @BeforeEach
  void start() throws Exception {
    authority = Certificates.of(directory, "ca");
    authority.issue("server");
    gateway =
        Gateways.start(
                Loader.parse(
                        "f",
                        """
                        admin: {bind: 127.0.0.1:0}
                        process: {eventLoops: 1, drain: 1s}
                        listeners:
                          cache:
                            bind: 127.0.0.1:0
                            route: cache
                            limits: {handshake: 3s}
                            tls: {%s, clientCa: %s, clientAuth: request, plain: true}
                        routes: {cache: [{match: {client: app, prefix: app}, pool: cache}, {match: {prefix: app}, reject: not for you}, {pool: cache}]}
                        pools: {cache: {protocol: embedded}}
                        """
                            .formatted(authority.identity("server"), authority.file()))
                    .configuration())
            .await(20, TimeUnit.SECONDS);
    String at = gateway.address("cache");
    int colon = at.lastIndexOf(':');
    address =
        new InetSocketAddress(at.substring(0, colon), Integer.parseInt(at.substring(colon + 1)));
  }

  @AfterEach
  void stop() throws Exception {
    gateway.close().await(20, TimeUnit.SECONDS);
  }

  private static String ask(Socket socket, String request) throws IOException {
    socket.getOutputStream().write((request + "\r\n").getBytes(ISO_8859_1));
    return new BufferedReader(new InputStreamReader(socket.getInputStream(), ISO_8859_1))
        .readLine();
  }

  @Test
  void shouldTellThemApartByTheirFirstByte() throws Exception {
    try (RawClient text = new RawClient(address);
        RawClient meta = new RawClient(address);
        RawClient binary = new RawClient(address);
        RawClient slow = new RawClient(address);
        Socket encrypted =
            authority
                .context(null)
                .getSocketFactory()
                .createSocket("127.0.0.1", address.getPort());
        Socket certified =
            authority
                .context(authority.issue("app", b -> b))
                .getSocketFactory()
                .createSocket("127.0.0.1", address.getPort())) {
      encrypted.setSoTimeout(10_000);
      certified.setSoTimeout(10_000);
      TimeUnit.MILLISECONDS.sleep(3_500); // silence is not a handshake that takes too long
      assertThat(text.ask("set a 0 0 1\r\nx\r\n")).isEqualTo("STORED");
      assertThat(meta.ask("ms b 1\r\nx\r\n")).isEqualTo("HD");
      Bytes noop = new Bytes().int8(0x80).int8(0x0a).int16(0).int8(0).int8(0).int16(0);
      binary.send(noop.int32(0).int32(7).int64(0).toArray());
      assertThat(binary.read(24)[0]).isEqualTo((byte) 0x81);
      for (byte each : "get a\r\n".getBytes(ISO_8859_1)) {
        slow.send(new byte[] {each});
      }
      assertThat(slow.line()).isEqualTo("VALUE a 0 1");
      assertThat(ask(encrypted, "set c 0 0 1\r\nx")).isEqualTo("STORED");
      assertThat(ask(certified, "set app 0 0 1\r\nx")).isEqualTo("STORED");
      assertThat(ask(encrypted, "get app")).isEqualTo("SERVER_ERROR not for you");
      assertThat(text.ask("get app\r\n")).isEqualTo("SERVER_ERROR not for you");
    }
  }

  @Test
  void shouldCloseWhatOnlyBeginsAsTls() throws Exception {
    try (LogLines log = LogLines.of("sluice.gateway.listener");
        RawClient broken = new RawClient(address);
        RawClient stalled = new RawClient(address)) {
      broken.send(new byte[] {22, 'g', 'e', 't', ' ', 'a', '\r', '\n'});
      stalled.send(new byte[] {22});
      broken.readToEnd(Patience.LIMIT);
      stalled.readToEnd(Patience.LIMIT);
      assertThat(log.lines())
          .hasSize(2)
          .allMatch(line -> line.startsWith("listener cache: ") && line.contains(" closed: "));
    }
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (gateway.bufferedBytes() != 0 && System.nanoTime() < end) {
      TimeUnit.MILLISECONDS.sleep(10);
    }
    assertThat(gateway.bufferedBytes()).isZero();
  }
}
