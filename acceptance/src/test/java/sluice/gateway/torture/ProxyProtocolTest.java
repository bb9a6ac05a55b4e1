package sluice.gateway.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.config.Loader;
import sluice.gateway.fixtures.Admin;
import sluice.gateway.fixtures.Gateways;
import sluice.gateway.fixtures.RealMemcached;
import sluice.gateway.process.Gateway;
import sluice.gateway.tls.Certificates;
import sluice.testkit.Bytes;
import sluice.testkit.LogLines;
import sluice.testkit.Patience;

/** Clients behind proxies that send PROXY headers, and others that only say so. */
@SuppressWarnings("AddressSelection") // the literal is the only address
class ProxyProtocolTest {
  private static final String TRUSTED = "127.0.0.1";
  private static final String UNTRUSTED = "127.0.0.2";
  private static final String HEADER = "PROXY TCP4 203.0.113.7 10.0.0.1 4711 11211\r\n";
  private static final String CLIENT = "203.0.113.7:4711";
  private static final byte[] HEADER_2 =
      HexFormat.of()
          .parseHex(
              "0d0a0d0a000d0a515549540a"
                  + "2121"
                  + "0024"
                  + "20010db8000000000000000000000007"
                  + "20010db8000000000000000000000001"
                  + "1267"
                  + "2bcb");
  private static final String CLIENT_2 = "[2001:db8:0:0:0:0:0:7]:4711";

  @TempDir private Path directory;

  private final AccessLog access = new AccessLog();
  private LogLines warnings;
  private Gateway gateway;

  @BeforeEach
  void listen() {
    warnings = LogLines.of("sluice.gateway");
  }

  @AfterEach
  void stop() throws Exception {
    if (gateway != null) {
      Gateway running = gateway;
      assertThat(Patience.soon(() -> running.bufferedBytes() == 0)).as("nothing is held").isTrue();
      running.close().await(20, TimeUnit.SECONDS);
    }
    warnings.close();
    access.close();
  }

  private static String yaml(String bind, String more) {
    return """
    admin: {bind: 127.0.0.1:0}
    process: {eventLoops: 1, drain: 20s}
    logs: {access: {sample: 100%%}}
    listeners: {cache: {bind: "%s", route: cache, %s}}
    routes: {cache: [{pool: cache}]}
    pools: {cache: {protocol: embedded}}
    """
        .formatted(bind, more);
  }

  private void start(String more) throws Exception {
    startAt("127.0.0.1:0", more);
  }

  private void startAt(String bind, String more) throws Exception {
    gateway =
        Gateways.start(Loader.parse("test.yaml", yaml(bind, more)).configuration())
            .await(20, TimeUnit.SECONDS);
  }

  private InetSocketAddress address() {
    String at = gateway.address("cache");
    int colon = at.lastIndexOf(':');
    return new InetSocketAddress("127.0.0.1", Integer.parseInt(at.substring(colon + 1)));
  }

  private RawClient proxy() throws IOException {
    return new RawClient(address(), TRUSTED);
  }

  private double refused() {
    String series =
        "sluice_client_connections_total{listener=\"cache\",outcome=\"no_proxy_header\"} ";
    return gateway
        .scrape()
        .lines()
        .filter(line -> line.startsWith(series))
        .mapToDouble(line -> Double.parseDouble(line.substring(series.length())))
        .findFirst()
        .orElseThrow();
  }

  private static String at(InetSocketAddress address) {
    return address.getAddress().getHostAddress() + ":" + address.getPort();
  }

  @Test
  void shouldKnowTheClientThatTheProxyNames() throws Exception {
    start("proxyProtocol: {from: [127.0.0.1]}");
    try (RawClient together = proxy();
        RawClient apart = proxy();
        RawClient binary = proxy();
        RawClient itself = proxy()) {
      assertThat(together.ask(HEADER + "get together\r\n")).isEqualTo("END");
      apart.send(HEADER_2);
      TimeUnit.MILLISECONDS.sleep(50);
      assertThat(apart.ask("get apart\r\n")).isEqualTo("END");
      Bytes packet = new Bytes().int8(0x80).int8(0x00).int16(6).int8(0).int8(0).int16(0);
      packet.int32(6).int32(7).int64(0);
      binary.send(HEADER).send(packet.toArray()).send("binary");
      assertThat(binary.read(24)[0]).isEqualTo((byte) 0x81);
      assertThat(itself.ask("PROXY UNKNOWN\r\nget itself\r\n")).isEqualTo("END");
      assertThat(access.clientOf("together")).isEqualTo(CLIENT);
      assertThat(access.clientOf("apart")).isEqualTo(CLIENT_2);
      assertThat(access.clientOf("binary")).isEqualTo(CLIENT);
      assertThat(access.clientOf("itself")).isEqualTo(at(itself.from()));
    }
    assertThat(warnings.lines()).isEmpty();
    assertThat(refused()).isZero();
  }

  @Test
  void shouldReadAHeaderThatComesInParts() throws Exception {
    start("proxyProtocol: {from: [127.0.0.0/8]}");
    byte[] all = (HEADER + "get parts\r\n").getBytes(ISO_8859_1);
    List<RawClient> clients = new ArrayList<>();
    try {
      for (int cut = 1; cut < HEADER.length(); cut++) {
        clients.add(proxy().send(new String(all, 0, cut, ISO_8859_1)));
      }
      TimeUnit.MILLISECONDS.sleep(100);
      for (int cut = 1; cut < HEADER.length(); cut++) {
        RawClient client = clients.get(cut - 1);
        client.send(new String(all, cut, all.length - cut, ISO_8859_1));
        assertThat(client.line()).as("cut at " + cut).isEqualTo("END");
      }
    } finally {
      for (RawClient client : clients) {
        client.close();
      }
    }
  }

  @Test
  void shouldAnswerAClientThatHasSaidAll() throws Exception {
    start("proxyProtocol: {from: [127.0.0.1]}");
    try (RawClient client = proxy()) {
      client.send(HEADER + "set k 0 0 1\r\nx\r\nget k\r\n").halfClose();
      assertThat(new String(client.readToEnd(Patience.LIMIT), ISO_8859_1))
          .isEqualTo("STORED\r\nVALUE k 0 1\r\nx\r\nEND\r\n");
    }
  }

  /** Whoever it is: to take a header from anybody would let everybody be anybody. */
  @Test
  void shouldNotReadTheHeaderOfAnotherPeer() throws Exception {
    start("proxyProtocol: {from: [127.0.0.1, 10.0.0.0/8]}");
    try (RawClient forger = new RawClient(address(), UNTRUSTED);
        RawClient client = new RawClient(address(), UNTRUSTED)) {
      assertThat(forger.ask(HEADER + "get forged\r\n")).isEqualTo("ERROR");
      assertThat(forger.line()).isEqualTo("END");
      assertThat(access.clientOf("forged")).isEqualTo(at(forger.from()));
      assertThat(client.ask("get client\r\n")).isEqualTo("END");
      assertThat(access.clientOf("client")).isEqualTo(at(client.from()));
    }
    assertThat(refused()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "get a\\r\\n",
        "PROXY TCP4 203.0.113.7 10.0.0.1 4711\\r\\nget a\\r\\n",
        "PROXY TCP4 203.0.113.7 10.0.0.1 4711 11211\\nget a\\r\\n"
      })
  void shouldCloseAProxyThatSendsNoHeader(String sent) throws Exception {
    start("proxyProtocol: {from: [127.0.0.1]}");
    String at;
    try (RawClient proxy = proxy()) {
      at = at(proxy.from());
      proxy.send(sent.translateEscapes());
      assertThat(proxy.readToEnd(Patience.LIMIT)).isEmpty();
    }
    assertThat(Patience.soon(() -> refused() == 1)).isTrue();
    assertThat(warnings.lines())
        .singleElement()
        .asString()
        .startsWith("listener cache: /" + at + " closed: found \"")
        .contains("expected a PROXY header")
        .endsWith(", because its address is in proxyProtocol.from");
  }

  @Test
  void shouldCloseAProxyWhoseHeaderDoesNotComeInTime() throws Exception {
    start("proxyProtocol: {from: [127.0.0.1]}, limits: {handshake: 2s}");
    try (RawClient silent = proxy();
        RawClient half = proxy();
        RawClient whole = proxy()) {
      half.send(HEADER.substring(0, 20));
      whole.send(HEADER);
      assertThat(silent.readToEnd(Patience.LIMIT)).isEmpty();
      assertThat(half.readToEnd(Patience.LIMIT)).isEmpty();
      assertThat(whole.ask("get whole\r\n")).isEqualTo("END");
    }
    assertThat(Patience.soon(() -> refused() == 2)).isTrue();
    assertThat(warnings.lines()).hasSize(2).anyMatch(line -> line.contains("found nothing within"));
  }

  /** HAProxy's checks without a header, and those of Kubernetes. */
  @Test
  void shouldSayNothingOfAProbe() throws Exception {
    start("proxyProtocol: {from: [127.0.0.1]}");
    proxy().close();
    try (RawClient next = proxy()) {
      assertThat(next.ask(HEADER + "get next\r\n")).isEqualTo("END");
    }
    assertThat(refused()).isZero();
    assertThat(warnings.lines()).isEmpty();
  }

  @Test
  void shouldNameTheClientWhoseLoginFails() throws Exception {
    Path users = Files.writeString(directory.resolve("users.txt"), "alice:secret\n");
    start("proxyProtocol: {from: [127.0.0.1]}, auth: {users: " + users + "}");
    try (RawClient client = proxy()) {
      assertThat(client.ask(HEADER + "set login 0 0 11\r\nalice wrong\r\n"))
          .isEqualTo("CLIENT_ERROR authentication failure");
    }
    assertThat(warnings.lines())
        .containsExactly("listener cache: a login from /" + CLIENT + " failed");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ", plain: true"})
  void shouldTakeTlsBehindTheHeader(String plain) throws Exception {
    Certificates authority = Certificates.of(directory, "ca");
    authority.issue("server");
    start(
        "proxyProtocol: {from: [127.0.0.1]}, tls: {" + authority.identity("server") + plain + "}");
    try (Socket raw = new Socket()) {
      raw.bind(new InetSocketAddress(TRUSTED, 0));
      raw.connect(address());
      raw.setSoTimeout(10_000);
      raw.getOutputStream().write(HEADER.getBytes(ISO_8859_1));
      SSLSocket socket =
          (SSLSocket)
              authority
                  .context(null)
                  .getSocketFactory()
                  .createSocket(raw, "127.0.0.1", raw.getPort(), true);
      socket.getOutputStream().write("get inside\r\n".getBytes(ISO_8859_1));
      assertThat(socket.getInputStream().readNBytes(5)).isEqualTo("END\r\n".getBytes(ISO_8859_1));
      assertThat(access.clientOf("inside")).isEqualTo(CLIENT);
    }
    try (RawClient together = proxy()) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      bytes.writeBytes(HEADER_2);
      bytes.writeBytes(hello(authority));
      together.send(bytes.toByteArray());
      assertThat(together.read(1)).as("a record of a handshake").containsExactly(22);
    }
    try (RawClient without = proxy()) {
      without.send(HEADER + "get plain\r\n");
      if (plain.isEmpty()) {
        without.readToEnd(Patience.LIMIT);
        assertThat(warnings.lines())
            .singleElement()
            .asString()
            .startsWith("listener cache: /" + CLIENT + " closed: TLS: found \"get plain");
      } else {
        assertThat(without.line()).isEqualTo("END");
        assertThat(access.clientOf("plain")).isEqualTo(CLIENT);
      }
    }
  }

  /** What a client of TLS says first. */
  private static byte[] hello(Certificates authority) throws Exception {
    SSLEngine engine = authority.context(null).createSSLEngine();
    engine.setUseClientMode(true);
    ByteBuffer out = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
    engine.wrap(ByteBuffer.allocate(0), out);
    byte[] hello = new byte[out.flip().remaining()];
    out.get(hello);
    return hello;
  }

  @Test
  void shouldTakeHeadersBeforeTheDialectOfIgnite() throws Exception {
    try (RealMemcached server = RealMemcached.start()) {
      gateway =
          Gateways.start(
                  Loader.parse(
                          "test.yaml",
                          yaml(
                                  "127.0.0.1:0",
                                  "protocol: ignite, proxyProtocol: {from: [127.0.0.1]}")
                              .replace(
                                  "protocol: embedded",
                                  "servers: [\"127.0.0.1:" + server.address().getPort() + "\"]"))
                      .configuration())
              .await(20, TimeUnit.SECONDS);
      try (RawClient client = proxy()) {
        Bytes noop = new Bytes().int8(0x80).int8(0x0a).int16(0).int8(0).int8(0).int16(0);
        client.send(HEADER).send(noop.int32(0).int32(7).int64(0).toArray());
        assertThat(client.read(24)[0]).isEqualTo((byte) 0x81);
      }
    }
  }

  private static boolean hasIpv6() throws IOException {
    return NetworkInterface.getByInetAddress(InetAddress.getByName("::1")) != null;
  }

  /** Sockets for both families tell IPv4 addresses in one way or another. */
  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void shouldTrustAnIpv4PeerOfASocketForBothFamilies(String transport) throws Exception {
    assumeThat(hasIpv6()).isTrue();
    gateway =
        Gateways.start(
                Loader.parse(
                        "test.yaml",
                        yaml("[::]:0", "proxyProtocol: {from: [127.0.0.1, \"::1\"]}")
                            .replace("eventLoops: 1", "eventLoops: 1, transport: " + transport))
                    .configuration())
            .await(20, TimeUnit.SECONDS);
    InetSocketAddress six =
        new InetSocketAddress(InetAddress.getByName("::1"), address().getPort());
    try (RawClient ipv4 = proxy();
        RawClient ipv6 = new RawClient(six);
        RawClient other = new RawClient(address(), UNTRUSTED)) {
      assertThat(ipv4.ask(HEADER + "get four\r\n")).isEqualTo("END");
      assertThat(ipv6.ask(HEADER + "get six\r\n")).isEqualTo("END");
      assertThat(other.ask(HEADER)).isEqualTo("ERROR");
      assertThat(access.clientOf("four")).isEqualTo(CLIENT);
      assertThat(access.clientOf("six")).isEqualTo(CLIENT);
    }
  }

  @Test
  void shouldFollowAChangedConfigurationWithNewConnections() throws Exception {
    Path file =
        Files.writeString(
            directory.resolve("sluice.yaml"),
            yaml("127.0.0.1:0", "proxyProtocol: {from: [127.0.0.1]}"));
    gateway = Gateways.start(Loader.load(file).configuration(), file).await(20, TimeUnit.SECONDS);
    try (RawClient before = proxy()) {
      assertThat(before.ask(HEADER + "get a\r\n")).isEqualTo("END");
      try (RawClient waiting = proxy()) {
        waiting.send(HEADER.substring(0, 9));
        try (RawClient next = proxy()) { // when it is served, waiting has been accepted
          assertThat(next.ask(HEADER + "get next\r\n")).isEqualTo("END");
        }
        reload(file, "proxyProtocol: {from: [127.0.0.2]}");
        assertThat(waiting.ask(HEADER.substring(9) + "get waiting\r\n")).isEqualTo("END");
        assertThat(access.clientOf("waiting")).isEqualTo(CLIENT);
      }
      assertThat(before.ask("get before\r\n")).isEqualTo("END");
      assertThat(access.clientOf("before")).isEqualTo(CLIENT);
      assertThat(listener().getJsonArray("proxyProtocol")).containsExactly("127.0.0.2");
      try (RawClient now = new RawClient(address(), UNTRUSTED);
          RawClient notAnyMore = proxy()) {
        assertThat(now.ask(HEADER + "get now\r\n")).isEqualTo("END");
        assertThat(access.clientOf("now")).isEqualTo(CLIENT);
        assertThat(notAnyMore.ask(HEADER)).isEqualTo("ERROR");
      }
      reload(file, "allow: []");
      try (RawClient nobody = new RawClient(address(), UNTRUSTED)) {
        assertThat(nobody.ask(HEADER)).isEqualTo("ERROR");
      }
      assertThat(Admin.get(gateway, "/config")).doesNotContain("proxyProtocol");
      assertThat(listener().containsKey("proxyProtocol")).isFalse();
    }
  }

  private JsonObject listener() {
    return new JsonArray(Admin.get(gateway, "/listeners")).getJsonObject(0);
  }

  private void reload(Path file, String more) throws Exception {
    Files.writeString(file, yaml("127.0.0.1:0", more));
    assertThat(gateway.reload().await(20, TimeUnit.SECONDS)).isEmpty();
  }

  @Test
  void shouldNotWaitForHeadersWhenItStops() throws Exception {
    start("proxyProtocol: {from: [127.0.0.1]}, limits: {handshake: 1h}");
    try (RawClient silent = proxy();
        RawClient half = proxy();
        RawClient served = proxy()) {
      half.send("PROX");
      assertThat(served.ask(HEADER + "get a\r\n")).isEqualTo("END");
      long start = System.nanoTime();
      gateway.drain().await(20, TimeUnit.SECONDS);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(15));
      assertThat(silent.readToEnd(Patience.LIMIT)).isEmpty();
      assertThat(half.readToEnd(Patience.LIMIT)).isEmpty();
      gateway = null;
    }
    assertThat(warnings.lines()).isEmpty();
  }

  @Test
  void shouldBoundTheConnectionsThatWaitForAHeader() throws Exception {
    start("proxyProtocol: {from: [127.0.0.1]}, limits: {connections: 2, handshake: 1m}");
    try (RawClient first = proxy().send("P");
        RawClient second = proxy().send("P")) {
      try (RawClient third = proxy()) {
        assertThat(third.readToEnd(Patience.LIMIT)).isEmpty();
      }
      assertThat(listener().getLong("connections")).as("waiting is not being a client").isZero();
      assertThat(first.ask(HEADER.substring(1) + "get a\r\n")).isEqualTo("END");
      assertThat(listener().getLong("connections")).isEqualTo(1);
      assertThat(second.ask(HEADER.substring(1) + "get a\r\n")).isEqualTo("END");
      try (RawClient third = proxy()) {
        assertThat(third.ask(HEADER)).isEqualTo("ERROR Too many open connections");
      }
    }
    assertThat(refused()).isZero();
    assertThat(warnings.lines()).isEmpty();
  }
}
