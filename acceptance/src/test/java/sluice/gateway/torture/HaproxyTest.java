package sluice.gateway.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.config.Loader;
import sluice.gateway.fixtures.Gateways;
import sluice.gateway.process.Gateway;
import sluice.gateway.tls.Certificates;
import sluice.testkit.LogLines;
import sluice.testkit.Patience;

/** Clients that come through a real HAProxy: what it sends in front of them is understood. */
@Timeout(120)
@SuppressWarnings("AddressSelection") // the literal is the only address
class HaproxyTest {
  /** HAProxy connects from 127.0.0.1; clients come from another address, and are told apart. */
  private static final String CLIENT = "127.0.0.3";

  @TempDir private Path directory;

  private final AccessLog access = new AccessLog();
  private Certificates authority;
  private LogLines warnings;
  private Gateway gateway;

  @BeforeEach
  void start() throws Exception {
    authority = Certificates.of(directory, "ca");
    authority.issue("server");
    warnings = LogLines.of("sluice.gateway");
    gateway =
        Gateways.start(
                Loader.parse(
                        "test.yaml",
                        """
                        admin: {bind: 127.0.0.1:0}
                        process: {eventLoops: 2, drain: 2s}
                        logs: {access: {sample: 100%%}}
                        listeners:
                          plain: {bind: 127.0.0.1:0, route: cache, proxyProtocol: {from: [127.0.0.1]}}
                          tls: {bind: 127.0.0.1:0, route: cache, proxyProtocol: {from: [127.0.0.1]}, tls: {%s}}
                        routes: {cache: [{pool: cache}]}
                        pools: {cache: {protocol: embedded}}
                        """
                            .formatted(authority.identity("server")))
                    .configuration())
            .await(20, TimeUnit.SECONDS);
  }

  @AfterEach
  void stop() throws Exception {
    gateway.close().await(20, TimeUnit.SECONDS);
    warnings.close();
    access.close();
  }

  private InetSocketAddress address(String listener) {
    String at = gateway.address(listener);
    return new InetSocketAddress(
        "127.0.0.1", Integer.parseInt(at.substring(at.lastIndexOf(':') + 1)));
  }

  private static String at(InetSocketAddress address) {
    String host = address.getAddress().getHostAddress();
    return (host.indexOf(':') < 0 ? host : '[' + host + ']') + ":" + address.getPort();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "send-proxy",
        "send-proxy-v2",
        "send-proxy-v2 proxy-v2-options crc32c,unique-id",
        "send-proxy-v2-ssl-cn"
      })
  void shouldKnowTheClientsOfAProxy(String option) throws Exception {
    try (Haproxy haproxy =
            Haproxy.in(directory).proxy("proxy", "127.0.0.1", address("plain"), option).start();
        RawClient first = new RawClient(haproxy.address("proxy"), CLIENT);
        RawClient second = new RawClient(haproxy.address("proxy"), CLIENT)) {
      assertThat(first.ask("set first 0 0 5\r\nvalue\r\n")).isEqualTo("STORED");
      assertThat(second.ask("get second\r\n")).isEqualTo("END");
      assertThat(access.clientOf("first")).isEqualTo(at(first.from()));
      assertThat(access.clientOf("second")).isEqualTo(at(second.from()));
      String large = "x".repeat(500_000);
      assertThat(first.ask("set large 0 0 500000\r\n" + large + "\r\n")).isEqualTo("STORED");
      assertThat(first.ask("get large\r\n")).isEqualTo("VALUE large 0 500000");
      assertThat(first.line()).isEqualTo(large);
    }
    assertThat(warnings.lines()).isEmpty();
  }

  /** The header comes before TLS, whoever begins it: HAProxy or the client behind it. */
  @ParameterizedTest
  @ValueSource(strings = {"send-proxy", "send-proxy-v2"})
  void shouldKnowTheClientsOfAProxyOverTls(String option) throws Exception {
    try (Haproxy haproxy =
            Haproxy.in(directory)
                .proxy("begins", "127.0.0.1", address("tls"), option + " ssl verify none")
                .proxy("passes", "127.0.0.1", address("tls"), option)
                .start();
        RawClient before = new RawClient(haproxy.address("begins"), CLIENT)) {
      assertThat(before.ask("get before\r\n")).isEqualTo("END");
      assertThat(access.clientOf("before")).isEqualTo(at(before.from()));
      try (Socket raw = new Socket()) {
        raw.bind(new InetSocketAddress(CLIENT, 0));
        raw.connect(haproxy.address("passes"));
        raw.setSoTimeout(20_000);
        SSLSocket client =
            (SSLSocket)
                authority
                    .context(null)
                    .getSocketFactory()
                    .createSocket(raw, "127.0.0.1", raw.getPort(), true);
        client.getOutputStream().write("get through\r\n".getBytes(ISO_8859_1));
        assertThat(client.getInputStream().readNBytes(5)).isEqualTo("END\r\n".getBytes(ISO_8859_1));
        assertThat(access.clientOf("through"))
            .isEqualTo(at((InetSocketAddress) raw.getLocalSocketAddress()));
      }
      assertThat(warnings.lines()).isEmpty(); // a proxy that is stopped resets its connections
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"send-proxy", "send-proxy-v2"})
  void shouldKnowClientsByIpv6(String option) throws Exception {
    assumeThat(hasIpv6()).isTrue();
    try (Haproxy haproxy =
            Haproxy.in(directory).proxy("proxy", "::1", address("plain"), option).start();
        RawClient client = new RawClient(haproxy.address("proxy"))) {
      assertThat(client.ask("get six\r\n")).isEqualTo("END");
      assertThat(access.clientOf("six")).isEqualTo(at(client.from()));
    }
  }

  private static boolean hasIpv6() throws IOException {
    return NetworkInterface.getByInetAddress(InetAddress.getByName("::1")) != null;
  }

  /** Its checks connect, say who they are, and leave. */
  @ParameterizedTest
  @ValueSource(strings = {"send-proxy", "send-proxy-v2"})
  void shouldPassTheChecksOfAProxy(String option) throws Exception {
    try (Haproxy haproxy =
            Haproxy.in(directory)
                .proxy("proxy", "127.0.0.1", address("plain"), option + " check inter 50ms fall 1")
                .start();
        RawClient client = new RawClient(haproxy.address("proxy"), CLIENT)) {
      double before = accepted();
      assertThat(Patience.soon(() -> accepted() > before + 5)).as("checks").isTrue();
      assertThat(client.ask("get checked\r\n")).isEqualTo("END");
      assertThat(access.clientOf("checked")).isEqualTo(at(client.from()));
      assertThat(haproxy.log()).doesNotContain("DOWN");
    }
    assertThat(warnings.lines()).isEmpty();
  }

  private double accepted() {
    String series = "sluice_client_connections_total{listener=\"plain\",outcome=\"accepted\"} ";
    return gateway
        .scrape()
        .lines()
        .filter(line -> line.startsWith(series))
        .mapToDouble(line -> Double.parseDouble(line.substring(series.length())))
        .findFirst()
        .orElse(0);
  }

  @Test
  void shouldCloseAProxyThatSendsNone() throws Exception {
    try (Haproxy haproxy =
            Haproxy.in(directory).proxy("proxy", "127.0.0.1", address("plain"), "").start();
        RawClient client = new RawClient(haproxy.address("proxy"), CLIENT)) {
      client.send("get none\r\n");
      assertThat(client.readToEnd(Patience.LIMIT)).isEmpty();
    }
    assertThat(warnings.lines())
        .singleElement()
        .asString()
        .startsWith("listener plain: /127.0.0.1:")
        .contains(" closed: found \"get none\", expected a PROXY header");
  }
}
