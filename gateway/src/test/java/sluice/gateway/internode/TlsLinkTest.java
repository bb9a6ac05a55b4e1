package sluice.gateway.internode;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.codecs.internode.ConnectionType;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.Initiate;
import sluice.codecs.internode.Vectors;
import sluice.gateway.tls.Certificates;
import sluice.gateway.tls.HoldingSocket;
import sluice.names.Verb;
import sluice.testkit.Patience;

/** Links whose sides speak TLS: it changes nothing of what is said. */
class TlsLinkTest {
  private static final byte[] ACCEPT = Frames.accept(12, 12);

  @TempDir Path directory;

  private Certificates nodes;
  private String listenerTls;
  private String poolTls;
  private SSLContext initiators;
  private SSLContext server;

  @BeforeEach
  void makeCertificates() throws Exception {
    nodes = Certificates.of(directory, "nodes");
    nodes.issue("gateway");
    initiators = nodes.context(nodes.issue("initiator"));
    server = nodes.context(nodes.issue("server"));
    listenerTls = ", tls: {%s, clientCa: %s}".formatted(nodes.identity("gateway"), nodes.file());
    poolTls = ", tls: {ca: %s, %s}".formatted(nodes.file(), nodes.identity("gateway"));
  }

  /** What the two sides of a link speak. */
  enum Sides {
    TERMINATED,
    ORIGINATED,
    BOTH;

    boolean isTlsIn() {
      return this != ORIGINATED;
    }

    boolean isTlsOut() {
      return this != TERMINATED;
    }
  }

  private FakeNode node(byte[] answer, Sides sides) throws IOException {
    return sides.isTlsOut() ? TlsNode.demanding(answer, server) : FakeNode.answering(answer);
  }

  private RunningLinks links(FakeNode node, Sides sides, String pool, String limits) {
    return links(node, sides, pool, limits, "2s");
  }

  private RunningLinks links(FakeNode node, Sides sides, String pool, String limits, String drain) {
    RunningLinks links =
        RunningLinks.start(
            """
            admin: {bind: 127.0.0.1:0}
            process: {eventLoops: 2, memory: 16MiB, drain: %s}
            listeners:
              ring: {bind: 127.0.0.1:0, protocol: internode, route: ring, limits: {%s}%s}
            routes:
              ring: [{pool: node}]
            pools:
              node: {protocol: internode, servers: ["%s"], connections: {connectTimeout: 20s}, %s%s}
            """
                .formatted(
                    drain,
                    limits,
                    sides.isTlsIn() ? listenerTls : "",
                    node.address(),
                    pool,
                    sides.isTlsOut() ? poolTls : ""));
    return sides.isTlsIn() ? links.over(initiators) : links;
  }

  @ParameterizedTest
  @EnumSource(Sides.class)
  void shouldPassEveryRecordedConversation(Sides sides) throws Exception {
    long seed = System.nanoTime();
    for (byte[] accept : LinkTest.accepts()) {
      for (LinkTest.Passing passing :
          new LinkTest.Passing[] {passing(sides), LinkTest.Passing.SAME}) {
        String pool = "framing: " + passing.name().toLowerCase(Locale.ROOT);
        try (FakeNode node = node(accept, sides);
            RunningLinks links = links(node, sides, pool, "handshake: 5s")) {
          LinkTest.passAll(accept, passing, node, links, seed);
        }
      }
    }
  }

  /** Each framing that messages can be given has sides of its own. */
  private static LinkTest.Passing passing(Sides sides) {
    return switch (sides) {
      case TERMINATED -> LinkTest.Passing.UNPROTECTED;
      case ORIGINATED -> LinkTest.Passing.CRC;
      case BOTH -> LinkTest.Passing.LZ4;
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
  void shouldSpeakBothVersionsOnBothSides(String version) throws Exception {
    byte[] frame = Frames.crc(true, Frames.message(1, Verb.PING_REQ, 0, 1_000));
    try (FakeNode node = TlsNode.demanding(ACCEPT, server, version);
        RunningLinks links = links(node, Sides.BOTH, "framing: same", "handshake: 5s")) {
      SSLSocket socket = (SSLSocket) initiators.getSocketFactory().createSocket();
      socket.setEnabledProtocols(new String[] {version});
      try (FakeInitiator initiator = new FakeInitiator(links.address(), socket)) {
        initiator.send(Frames.initiate(ConnectionType.SMALL)).read(12);
        initiator.send(frame);
        assertThat(node.next().body(frame.length)).isEqualTo(frame);
        assertThat(socket.getSession().getProtocol()).isEqualTo(version);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Sides.class)
  void shouldPassStreamsBothWaysUntilTheInitiatorSaysThatItEnds(Sides sides) throws Exception {
    byte[] there = Vectors.bytes("stream/v12-streaming-rebuild-file-a2b.c2s.bin");
    byte[] back = Vectors.bytes("stream/v12-streaming-rebuild-file-a2b.s2c.bin");
    try (FakeNode node = node(back, sides);
        RunningLinks links = links(node, sides, "framing: lz4", "handshake: 5s");
        FakeInitiator initiator = links.connect()) {
      initiator.send(there);
      assertThat(initiator.read(back.length)).isEqualTo(back);
      initiator.endOutput(); // half of it: a close_notify without a FIN, or a FIN
      FakeNode.Incoming link = node.next();
      assertThat(Frames.join(link.initiate(), link.bodyToEnd())).isEqualTo(there);
      assertThat(initiator.readToEnd(Patience.LIMIT)).isEmpty();
    }
  }

  /** Sends what is written in small pieces, each by itself. */
  private static final class Dribbling extends Socket {
    private final Random random;

    Dribbling(long seed) {
      random = new Random(seed);
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
      OutputStream out = super.getOutputStream();
      return new OutputStream() {
        @Override
        public void write(int one) throws IOException {
          out.write(one);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
          for (int at = from; at < from + length; ) {
            int piece = Math.min(from + length - at, 1 + random.nextInt(300));
            out.write(bytes, at, piece);
            at += piece;
          }
        }
      };
    }
  }

  @Test
  void shouldFindFramesWhereverRecordsAreCut() throws Exception {
    long seed = System.nanoTime();
    byte[] frames =
        Frames.join(
            Frames.crc(true, Frames.message(1, Verb.PING_REQ, 0, 10)),
            Frames.crc(true, Frames.message(2, Verb.READ_RSP, 0, 60_000)),
            Frames.crc(true, Frames.message(3, Verb.PING_REQ, 0, 10)));
    try (FakeNode node = node(ACCEPT, Sides.BOTH);
        RunningLinks links = links(node, Sides.BOTH, "framing: same", "handshake: 5s")) {
      InetSocketAddress address = links.address();
      Socket plain = new Dribbling(seed);
      plain.setTcpNoDelay(true);
      plain.connect(address);
      try (SSLSocket socket =
          (SSLSocket)
              initiators
                  .getSocketFactory()
                  .createSocket(plain, address.getHostString(), address.getPort(), true)) {
        OutputStream out = socket.getOutputStream();
        out.write(Frames.initiate(ConnectionType.SMALL));
        assertThat(socket.getInputStream().readNBytes(12)).isEqualTo(ACCEPT);
        FakeNode.Incoming link = node.next();
        Random random = new Random(seed);
        for (int at = 0; at < frames.length; ) {
          int to = Math.min(frames.length, at + 1 + random.nextInt(5_000));
          out.write(frames, at, to - at); // a record
          at = to;
        }
        assertThat(link.body(frames.length)).as("seed " + seed).isEqualTo(frames);
      }
      assertThat(Patience.soon(() -> links.gateway().bufferedBytes() == 0)).isTrue();
    }
  }

  /** Opens a link, and sends its Initiate with records behind it before the answer to that. */
  private SSLSocket openWith(RunningLinks links, byte[] initiate, byte[]... records)
      throws Exception {
    InetSocketAddress address = links.address();
    HoldingSocket plain = new HoldingSocket();
    plain.setTcpNoDelay(true);
    plain.setSoTimeout((int) Patience.LIMIT.toMillis());
    plain.connect(address);
    SSLSocket socket =
        (SSLSocket)
            initiators
                .getSocketFactory()
                .createSocket(plain, address.getHostString(), address.getPort(), true);
    socket.startHandshake();
    plain.hold();
    socket.getOutputStream().write(initiate);
    for (byte[] record : records) {
      socket.getOutputStream().write(record);
    }
    plain.sendAll();
    return socket;
  }

  @ParameterizedTest
  @EnumSource(
      value = Sides.class,
      names = {"TERMINATED", "BOTH"})
  void shouldPassFramesOfManyRecordsThatCameBeforeTheAnswer(Sides sides) throws Exception {
    byte[][] frames = new byte[8][];
    for (int i = 0; i < frames.length; i++) {
      frames[i] = Frames.crc(true, Frames.message(i + 1, Verb.PING_REQ, 0, 20 * i));
    }
    byte[] all = Frames.join(frames);
    try (FakeNode node = node(new byte[0], sides);
        RunningLinks links = links(node, sides, "framing: same", "handshake: 1m");
        SSLSocket socket = openWith(links, Frames.initiate(ConnectionType.SMALL), frames)) {
      FakeNode.Incoming link = node.next();
      link.send(ACCEPT);
      assertThat(link.body(all.length)).isEqualTo(all);
      assertThat(socket.getInputStream().readNBytes(ACCEPT.length)).isEqualTo(ACCEPT);
    }
  }

  /** The first of them ends the link, while the others wait for their turn. */
  @ParameterizedTest
  @EnumSource(
      value = Sides.class,
      names = {"TERMINATED", "BOTH"})
  void shouldCloseALinkForTheFirstOfManyRecordsThatCameBeforeTheAnswer(Sides sides)
      throws Exception {
    byte[] noFrame = new byte[8];
    try (FakeNode node = node(new byte[0], sides);
        RunningLinks links = links(node, sides, "framing: same", "handshake: 1m");
        SSLSocket socket =
            openWith(
                links,
                Frames.initiate(ConnectionType.SMALL),
                noFrame,
                noFrame,
                new byte[2_000],
                noFrame)) {
      FakeNode.Incoming link = node.next();
      link.send(Frames.join(ACCEPT, new byte[100]));
      assertThat(link.bodyToEnd()).isEmpty();
      socket.getInputStream().readAllBytes();
      links.awaitMetric("sluice_internode_protocol_errors_total{listener=\"ring\"}", 1);
      assertThat(Patience.soon(() -> links.gateway().bufferedBytes() == 0)).isTrue();
    }
  }

  @Test
  void shouldStopReadingASenderWhoseReceiverDoesNotRead() throws Exception {
    try (FakeNode node = TlsNode.slow(ACCEPT, server);
        RunningLinks links = links(node, Sides.BOTH, "framing: same", "inFlightBytes: 256KiB")) {
      LinkLimitsTest.stopReadingASender(node, links, 17 * 64 * 1024); // and part of a record
    }
  }

  @Test
  void shouldCountWhatWaitsForTheRestOfItsRecord() throws Exception {
    byte[] half = Arrays.copyOf(new byte[] {0x16, 3, 1, 0x40, 0}, 10_000);
    try (FakeNode node = node(ACCEPT, Sides.BOTH);
        RunningLinks links = links(node, Sides.BOTH, "framing: same", "handshake: 1m")) {
      try (Socket socket = new Socket()) {
        socket.connect(links.address());
        socket.getOutputStream().write(half);
        assertThat(Patience.soon(() -> links.gateway().bufferedBytes() == half.length)).isTrue();
      }
      assertThat(Patience.soon(() -> links.gateway().bufferedBytes() == 0)).isTrue();
    }
  }

  @Test
  void shouldRefuseMoreLinksThanItMayHaveBeforeTheirHandshake() throws Exception {
    try (FakeNode node = node(ACCEPT, Sides.BOTH);
        RunningLinks links =
            links(node, Sides.BOTH, "framing: same", "connections: 1, handshake: 1m");
        FakeInitiator first = HandshakeTest.open(links);
        Socket second = new Socket()) {
      second.setSoTimeout((int) Patience.LIMIT.toMillis());
      second.connect(links.address());
      assertThat(second.getInputStream().read()).isEqualTo(-1);
      first.leave();
    }
  }

  @Test
  void shouldCloseLinksWhenItDrainsThoseInTheirHandshakeToo() throws Exception {
    try (FakeNode node = node(ACCEPT, Sides.BOTH);
        RunningLinks links = links(node, Sides.BOTH, "framing: same", "handshake: 1m", "20s");
        FakeInitiator messages = HandshakeTest.open(links);
        Socket silent = new Socket()) {
      silent.setSoTimeout((int) Patience.LIMIT.toMillis());
      silent.connect(links.address());
      assertThat(Patience.soon(() -> links.metric("sluice_connections{listener=\"ring\"}") == 2))
          .isTrue();
      long began = System.nanoTime();
      var stopped = links.gateway().drain();
      assertThat(messages.readToEnd(Patience.LIMIT)).isEmpty();
      assertThat(silent.getInputStream().readAllBytes()).hasSizeLessThan(16); // a close_notify
      assertThat(Patience.soon(stopped::isComplete)).isTrue();
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(15));
    }
  }

  @Test
  void shouldAnswerOverTlsOfThePoolWhoIsBehindAListener() throws Exception {
    try (FakeNode a = node(ACCEPT, Sides.BOTH);
        FakeNode b = node(ACCEPT, Sides.BOTH);
        RunningLinks links = twoNodes(a, b, "");
        FakeInitiator one =
            initiator(links, Frames.initiate(ConnectionType.URGENT, Framing.CRC, 12, 12))) {
      one.send(Frames.crc(true, Frames.message(301, Verb.TRUNCATE_REQ, 1, 100)));
      FakeNode.Incoming toA = a.next();
      assertThat(LinkTest.initiate(toA.initiate()).from()).isEqualTo(Frames.node(13));
      assertAnswered(links, toA);
    }
  }

  @Test
  void shouldAnswerAsTheNodeOfTheListenerWhoIsBehindNone() throws Exception {
    // Its certificate is of the nodes' authority, but not for its address: it could connect as
    // well.
    SSLContext elsewhere = nodes.context(nodes.issue("elsewhere", b -> b.addSanDnsName("other")));
    try (FakeNode a = node(ACCEPT, Sides.BOTH);
        FakeNode b = node(ACCEPT, Sides.BOTH);
        FakeNode c = TlsNode.demanding(ACCEPT, elsewhere);
        RunningLinks links = twoNodes(a, b, ", peers: [\"%s\"]".formatted(c.address()));
        FakeInitiator one = initiator(links, initiate(c.address()))) {
      one.send(Frames.crc(true, Frames.message(301, Verb.TRUNCATE_REQ, 1, 100)));
      FakeNode.Incoming toC = c.next();
      assertThat(LinkTest.initiate(toC.initiate()).from()).isEqualTo(Frames.node(13));
      assertAnswered(links, toC);
    }
  }

  private static byte[] initiate(String from) {
    int port = Integer.parseInt(from.substring(from.indexOf(':') + 1));
    ByteBuf out = Unpooled.buffer();
    Initiate.writeMessaging(
        out,
        ConnectionType.URGENT,
        Framing.CRC,
        12,
        12,
        12,
        new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    return Frames.bytes(out);
  }

  private FakeInitiator initiator(RunningLinks links, byte[] initiate) throws IOException {
    FakeInitiator initiator =
        new FakeInitiator(links.address("b"), initiators.getSocketFactory().createSocket());
    initiator.send(initiate).read(12);
    return initiator;
  }

  private static void assertAnswered(RunningLinks links, FakeNode.Incoming link) throws Exception {
    int length = Frames.crc(true, Frames.message(301, Verb.FAILURE_RSP, 0, 1)).length;
    assertThat(Decoded.of(Framing.CRC, 12, link.body(length), 0).messages())
        .singleElement()
        .asString()
        .contains("301", "FAILURE_RSP");
    links.awaitMetric(
        "sluice_internode_failure_responses_total{listener=\"b\",outcome=\"sent\"}", 1);
  }

  /** Two nodes, each behind a listener of its own; what goes to b passes a rule. */
  private RunningLinks twoNodes(FakeNode a, FakeNode b, String peers) {
    return RunningLinks.start(
        """
        admin: {bind: 127.0.0.1:0}
        process: {eventLoops: 1, memory: 16MiB}
        listeners:
          a: {bind: 127.0.0.1:0, node: 127.0.0.12:7000, protocol: internode, route: a%s}
          b: {bind: 127.0.0.1:0, node: 127.0.0.13:7000, protocol: internode, route: b%s%s}
        routes:
          a: [{pool: a}]
          b: [{match: {verbs: [TRUNCATE_REQ]}, reject: not from here}, {pool: b}]
        pools:
          a: {protocol: internode, servers: ["%s"], connections: {connectTimeout: 20s}%s}
          b: {protocol: internode, servers: ["%s"], connections: {connectTimeout: 20s}%s}
        """
            .formatted(
                listenerTls, listenerTls, peers, a.address(), poolTls, b.address(), poolTls));
  }
}
