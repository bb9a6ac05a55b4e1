package sluice.gateway.internode;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.codecs.internode.ConnectionType;
import sluice.gateway.tls.Certificates;
import sluice.testkit.LogLines;
import sluice.testkit.Patience;

/** TLS that fails costs one connection, and one line says why. */
class TlsFailureTest {
  private static final byte[] ACCEPT = Frames.accept(12, 12);
  private static final Instant PAST = Instant.parse("2020-01-01T00:00:00Z");

  @TempDir Path directory;

  private Certificates nodes;
  private Certificates strangers;

  @BeforeEach
  void makeCertificates() throws Exception {
    nodes = Certificates.of(directory, "nodes");
    strangers = Certificates.of(directory, "strangers");
    nodes.issue("gateway");
  }

  private X509Bundle expired() throws Exception {
    return nodes.issue("expired", b -> b.notBefore(PAST).notAfter(PAST.plusSeconds(3_600)));
  }

  private RunningLinks links(String node, String limits, String listener, String pool) {
    return RunningLinks.start(
        """
        admin: {bind: 127.0.0.1:0}
        process: {eventLoops: 1, memory: 16MiB}
        listeners:
          ring: {bind: 127.0.0.1:0, protocol: internode, route: ring, limits: {%s}%s}
        routes:
          ring: [{pool: node}]
        pools:
          node: {protocol: internode, servers: ["%s"]%s%s}
        """
            .formatted(
                limits,
                listener,
                node,
                pool.contains("connections:") ? "" : ", connections: {connectTimeout: 20s}",
                pool));
  }

  private RunningLinks terminating(String node, String limits) {
    return links(
        node,
        limits,
        ", tls: {%s, clientCa: %s}".formatted(nodes.identity("gateway"), nodes.file()),
        "");
  }

  private static void assertOneLine(LogLines log, String end) throws InterruptedException {
    assertThat(Patience.soon(() -> !log.lines().isEmpty())).isTrue();
    assertThat(log.lines())
        .singleElement()
        .asString()
        .startsWith("listener ring: handshake link of an unknown node from /127.0.0.1:")
        .endsWith(": closed: TLS: " + end);
  }

  private static double handshakes(RunningLinks links, String outcome) {
    return links.metric(
        "sluice_internode_handshakes_total{listener=\"ring\",outcome=\"" + outcome + "\"}");
  }

  private static void awaitHandshakes(RunningLinks links, String outcome, int count) {
    assertThat(Patience.soon(() -> handshakes(links, outcome) == count)).as(outcome).isTrue();
  }

  @Test
  void shouldNotEncryptWhatIsEncrypted() throws Exception {
    byte[] hello = Arrays.copyOf(new byte[] {0x16, 3, 1, 0, 100, 1}, 105);
    String pool = ", tls: {ca: %s, serverName: node}".formatted(nodes.file());
    try (FakeNode node = FakeNode.answering(ACCEPT);
        RunningLinks links = links(node.address(), "handshake: 1m", "", pool);
        LogLines log = LogLines.of("sluice.gateway.internode");
        FakeInitiator initiator = links.connect().send(hello)) {
      assertThat(initiator.readToEnd(Patience.LIMIT)).isEmpty();
      assertThat(node.hasNext()).isFalse();
      awaitHandshakes(links, "invalid", 1);
      assertThat(log.lines())
          .singleElement()
          .asString()
          .startsWith("listener ring: handshake link of an unknown node from /127.0.0.1:")
          .endsWith(": closed: found what looks like TLS, expected an Initiate");
    }
  }

  // --- those who connect --------------------------------------------------------------------

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "none      | bad_certificate,certificate_required | no certificate was presented",
        "strangers | certificate_unknown | the certificate of CN=stranger, issued by"
            + " CN=strangers, is not from an authority in DIRECTORY/nodes.crt",
        "expired   | certificate_unknown | the certificate of CN=expired expired on"
            + " 2020-01-01T01:00:00Z"
      })
  void shouldTurnAwayWhoShowsNoGoodCertificate(String who, String alert, String reason)
      throws Exception {
    X509Bundle shown =
        switch (who) {
          case "none" -> null;
          case "strangers" -> strangers.issue("stranger");
          default -> expired();
        };
    for (int lost = 0; !isTurnedAway(shown, alert, reason); lost++) {
      assertThat(lost).as("connections that were reset before the alert was read").isLessThan(9);
    }
  }

  /**
   * Whether the initiator saw the alert. If it still writes its part of the handshake when the
   * gateway closes, it may only see a reset.
   */
  private boolean isTurnedAway(X509Bundle shown, String alert, String reason) throws Exception {
    try (FakeNode node = FakeNode.answering(ACCEPT);
        RunningLinks links = terminating(node.address(), "handshake: 1m");
        LogLines log = LogLines.of("sluice.gateway");
        SSLSocket socket = (SSLSocket) nodes.context(shown).getSocketFactory().createSocket()) {
      socket.connect(links.address());
      socket.setSoTimeout((int) Patience.LIMIT.toMillis());
      Throwable end = catchThrowable(() -> socket.getInputStream().read());
      assertOneLine(log, reason.replace("DIRECTORY", directory.toString()));
      awaitHandshakes(links, "invalid", 1);
      assertThat(handshakes(links, "no_initiate")).isZero();
      assertThat(node.hasNext()).isFalse();
      if (end instanceof SocketException) {
        return false;
      }
      assertThat(end)
          .isInstanceOf(SSLException.class)
          .hasMessageMatching(".*(" + alert.replace(',', '|') + ").*");
      return true;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "none,    none,      true",
    "none,    strangers, true",
    "request, none,      true",
    "request, nodes,     true",
    "request, strangers, false",
    "require, nodes,     true",
    "require, none,      false"
  })
  void shouldAskForCertificatesAsItIsTold(String clientAuth, String who, boolean good)
      throws Exception {
    X509Bundle shown =
        switch (who) {
          case "none" -> null;
          case "strangers" -> strangers.issue("stranger");
          default -> nodes.issue("initiator");
        };
    String clientCa = clientAuth.equals("none") ? "" : ", clientCa: " + nodes.file();
    String tls =
        ", tls: {%s%s, clientAuth: %s}".formatted(nodes.identity("gateway"), clientCa, clientAuth);
    try (FakeNode node = FakeNode.answering(ACCEPT);
        RunningLinks links =
            links(node.address(), "handshake: 1m", tls, "").over(nodes.context(shown));
        FakeInitiator initiator = links.connect()) {
      if (good) {
        initiator.send(Frames.initiate(ConnectionType.SMALL));
        assertThat(initiator.read(12)).isEqualTo(ACCEPT);
      } else {
        assertThatThrownBy(() -> initiator.send(ACCEPT).read(12)).isInstanceOf(IOException.class);
        assertThat(node.hasNext()).isFalse();
      }
    }
  }

  @Test
  void shouldTurnAwayWhoKnowsNoVersionThatIsSpoken() throws Exception {
    try (FakeNode node = FakeNode.answering(ACCEPT);
        RunningLinks links = terminating(node.address(), "handshake: 1m");
        LogLines log = LogLines.of("sluice.gateway");
        Socket socket = new Socket()) {
      socket.connect(links.address());
      socket.setSoTimeout((int) Patience.LIMIT.toMillis());
      // ClientHello of TLS 1.0: version, random, no session, one cipher suite, no compression
      byte[] hello = new byte[5 + 4 + 2 + 32 + 1 + 4 + 2];
      hello[0] = 0x16;
      hello[1] = 3;
      hello[2] = 1;
      hello[4] = (byte) (hello.length - 5);
      hello[5] = 1;
      hello[8] = (byte) (hello.length - 9);
      hello[9] = 3;
      hello[10] = 1;
      hello[45] = 2;
      hello[47] = 0x2F;
      hello[48] = 1;
      socket.getOutputStream().write(hello);
      socket.getInputStream().readAllBytes();
      assertThat(Patience.soon(() -> !log.lines().isEmpty())).isTrue();
      assertThat(log.lines())
          .singleElement()
          .asString()
          .contains(": closed: TLS: ", "TLSv1 is not enabled");
    }
  }

  static Stream<Arguments> plain() {
    return Stream.of(
        Arguments.of(Frames.initiate(ConnectionType.SMALL), "an internode handshake without TLS"),
        Arguments.of("GET /metrics HTTP/1.1\r\n".getBytes(US_ASCII), "\"GET /metrics HTT\""),
        Arguments.of("get k\r\n".getBytes(US_ASCII), "\"get k\\r\\n\""),
        Arguments.of(new byte[] {1, 2, 3, 4, 5, 6}, "01 02 03 04 05 06"));
  }

  @ParameterizedTest
  @MethodSource("plain")
  void shouldSayWhatCameInsteadOfTls(byte[] sent, String found) throws Exception {
    try (FakeNode node = FakeNode.answering(ACCEPT);
        RunningLinks links = terminating(node.address(), "handshake: 1m");
        LogLines log = LogLines.of("sluice.gateway");
        FakeInitiator initiator = links.connect().send(sent)) {
      assertThat(initiator.readToEnd(Patience.LIMIT)).hasSizeLessThan(16); // an alert at most
      assertOneLine(log, "found " + found + ", expected a TLS record");
      awaitHandshakes(links, "invalid", 1);
      assertThat(node.hasNext()).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100})
  void shouldNotWaitForEverForAHandshake(int bytes) throws Exception {
    byte[] part = Arrays.copyOf(new byte[] {0x16, 3, 1, 2, 0, 1}, bytes);
    try (FakeNode node = FakeNode.answering(ACCEPT);
        RunningLinks links = terminating(node.address(), "handshake: 300ms");
        LogLines log = LogLines.of("sluice.gateway");
        FakeInitiator initiator = links.connect().send(part)) {
      initiator.readToEnd(Patience.LIMIT);
      assertThat(Patience.soon(() -> !log.lines().isEmpty())).isTrue();
      assertThat(log.lines()).singleElement().asString().contains("handshake", "300");
      assertThat(Patience.soon(() -> links.gateway().bufferedBytes() == 0)).isTrue();
    }
  }

  @Test
  void shouldSayNothingOfWhoOnlyLooksWhetherThePortIsOpen() throws Exception {
    try (FakeNode node = FakeNode.answering(ACCEPT);
        RunningLinks links = terminating(node.address(), "handshake: 1m");
        LogLines log = LogLines.of("sluice.gateway")) {
      links.connect().leave();
      assertThat(Patience.soon(() -> handshakes(links, "no_initiate") == 1)).isTrue();
      assertThat(log.lines()).isEmpty();
    }
  }

  @Test
  void shouldNotLetClientsRenegotiate() throws Exception {
    SSLContext initiators = nodes.context(nodes.issue("initiator"));
    try (FakeNode node = FakeNode.answering(ACCEPT);
        RunningLinks links = terminating(node.address(), "handshake: 1m");
        LogLines log = LogLines.of("sluice.gateway");
        SSLSocket socket = (SSLSocket) initiators.getSocketFactory().createSocket()) {
      socket.setEnabledProtocols(new String[] {"TLSv1.2"});
      socket.connect(links.address());
      socket.setSoTimeout((int) Patience.LIMIT.toMillis());
      socket.getOutputStream().write(Frames.initiate(ConnectionType.SMALL));
      assertThat(socket.getInputStream().readNBytes(12)).isEqualTo(ACCEPT);
      socket.startHandshake();
      assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(IOException.class);
      assertThat(Patience.soon(() -> !log.lines().isEmpty())).isTrue();
      assertThat(log.lines()).singleElement().asString().contains("TLS: ", "renegotiation");
    }
  }

  // --- servers ------------------------------------------------------------------------------

  /** Opens a link that must end for what its server is; returns what is known of that then. */
  private void assertUnreachable(String node, String poolTls, String reason) throws Exception {
    try (RunningLinks links = links(node, "handshake: 1m", "", ", tls: {" + poolTls + "}");
        LogLines log = LogLines.of("sluice.gateway");
        FakeInitiator initiator = links.connect()) {
      initiator.send(Frames.initiate(ConnectionType.SMALL));
      assertThat(initiator.readToEnd(Patience.LIMIT)).isEmpty();
      assertThat(log.lines())
          .singleElement()
          .asString()
          .isEqualTo(
              "pool node: server %s accepts no links: cannot be reached: TLS: %s"
                  .formatted(node, reason));
      awaitHandshakes(links, "unreachable", 1);
      assertThat(links.admin("/pools")).contains("\"state\" : \"down\"", "TLS: ");
    }
  }

  /** What a server does with a connection before it reads to its end. */
  private interface Deed {
    void with(Socket socket) throws IOException;
  }

  private void assertUnreachable(Deed deed, String reason) throws Exception {
    try (ServerSocket server = new ServerSocket(0)) {
      Thread thread =
          new Thread(
              () -> {
                try (Socket socket = server.accept()) {
                  deed.with(socket);
                  socket.getInputStream().readAllBytes();
                } catch (IOException e) {
                  // the gateway closed
                }
              });
      thread.start();
      assertUnreachable("127.0.0.1:" + server.getLocalPort(), "ca: " + nodes.file(), reason);
      thread.join();
    }
  }

  @Test
  void shouldNotTrustAServerOfAnotherAuthority() throws Exception {
    try (FakeNode node = TlsNode.answering(ACCEPT, strangers.context(strangers.issue("far")))) {
      assertUnreachable(
          node.address(),
          "ca: " + nodes.file(),
          "the certificate of CN=far, issued by CN=strangers, is not from an authority in "
              + nodes.file());
      assertUnreachable(
          node.address(),
          "",
          "the certificate of CN=far, issued by CN=strangers, is not from an authority that"
              + " Java trusts");
    }
  }

  @Test
  void shouldNotTrustAServerWhoseCertificateExpired() throws Exception {
    try (FakeNode node = TlsNode.answering(ACCEPT, nodes.context(expired()))) {
      assertUnreachable(
          node.address(),
          "ca: " + nodes.file(),
          "the certificate of CN=expired expired on 2020-01-01T01:00:00Z");
    }
  }

  @Test
  void shouldNotTrustAServerOfAnotherName() throws Exception {
    X509Bundle other =
        nodes.issue("other", b -> b.addSanDnsName("node3").addSanIpAddress("127.0.0.3"));
    try (FakeNode node = TlsNode.answering(ACCEPT, nodes.context(other))) {
      String wrong =
          "the certificate of CN=other has another name: it is for node3, 127.0.0.3, not for ";
      assertUnreachable(node.address(), "ca: " + nodes.file(), wrong + "127.0.0.1");
      assertUnreachable(
          node.address(), "ca: " + nodes.file() + ", serverName: node4", wrong + "node4");
      try (RunningLinks links =
              links(
                  node.address(),
                  "handshake: 1m",
                  "",
                  ", tls: {ca: " + nodes.file() + ", serverName: node3}");
          FakeInitiator initiator = HandshakeTest.open(links)) {
        initiator.leave();
      }
    }
  }

  @Test
  void shouldSayWhatAServerAnsweredInsteadOfTls() throws Exception {
    assertUnreachable(
        socket -> {
          socket.getInputStream().read();
          socket.getOutputStream().write("ERROR\r\n".getBytes(US_ASCII));
        },
        "found \"ERROR\\r\\n\", expected a TLS record");
  }

  @Test
  void shouldSayThatAServerClosedInItsHandshake() throws Exception {
    assertUnreachable(
        socket -> {
          socket.getInputStream().readNBytes(100);
          socket.shutdownOutput();
        },
        "the peer closed the connection during the handshake");
  }

  @Test
  void shouldNotWaitForEverForAServersHandshake() throws Exception {
    try (ServerSocket server = new ServerSocket(0);
        RunningLinks links =
            links(
                "127.0.0.1:" + server.getLocalPort(),
                "handshake: 1m",
                "",
                ", connections: {connectTimeout: 300ms}, tls: {ca: " + nodes.file() + "}");
        LogLines log = LogLines.of("sluice.gateway");
        FakeInitiator initiator = links.connect()) {
      initiator.send(Frames.initiate(ConnectionType.SMALL));
      assertThat(initiator.readToEnd(Patience.LIMIT)).isEmpty();
      assertThat(log.lines())
          .singleElement()
          .asString()
          .contains("cannot be reached: TLS: ", "handshake timed out after ");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
  void shouldSayThatAServerWantsAnotherCertificate(String version) throws Exception {
    SSLContext server = nodes.context(nodes.issue("server"));
    try (FakeNode node = TlsNode.demanding(ACCEPT, server, version);
        RunningLinks links =
            links(node.address(), "handshake: 1m", "", ", tls: {ca: " + nodes.file() + "}");
        LogLines log = LogLines.of("sluice.gateway");
        FakeInitiator initiator = links.connect()) {
      initiator.send(Frames.initiate(ConnectionType.SMALL));
      assertThat(initiator.readToEnd(Patience.LIMIT)).isEmpty();
      assertThat(log.lines())
          .singleElement()
          .asString()
          .matches( // which one depends on the version of Java
              ".*TLS: the peer refused with the alert"
                  + " (bad_certificate|certificate_required|handshake_failure)");
    }
  }
}
