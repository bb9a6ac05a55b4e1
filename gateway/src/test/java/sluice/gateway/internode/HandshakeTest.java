package sluice.gateway.internode;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.codecs.internode.ConnectionType;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.Initiate;
import sluice.codecs.internode.Vectors;
import sluice.names.Verb;
import sluice.testkit.LogLines;
import sluice.testkit.Patience;

class HandshakeTest {
  private static final byte[] ACCEPT = Frames.accept(12, 12);

  private static List<Vectors.Vector> initiates() {
    return Vectors.ALL.stream()
        .filter(v -> v.file().startsWith("handshake/handshake-initiate"))
        .toList();
  }

  @ParameterizedTest
  @EnumSource(Framing.class)
  void shouldChangeNothingOfAnyInitiateButItsFraming(Framing framing) throws Exception {
    assertThat(initiates()).hasSizeGreaterThan(40);
    String pool = "framing: " + framing.name().toLowerCase(Locale.ROOT);
    try (FakeNode node = FakeNode.answering(ACCEPT);
        RunningLinks links = RunningLinks.before(node.address(), pool, "handshake: 5s", "")) {
      for (Vectors.Vector vector : initiates()) {
        byte[] initiate = vector.bytes();
        try (FakeInitiator initiator = links.connect().send(initiate)) {
          assertThat(initiator.read(12)).isEqualTo(ACCEPT);
          byte[] expected = initiate.clone();
          if (!vector.file().contains("streaming")) {
            new Initiate().wrap(Unpooled.wrappedBuffer(expected), 0).setFraming(framing);
          }
          assertThat(node.next().initiate()).as(vector.file()).isEqualTo(expected);
        }
      }
    }
  }

  @Test
  void shouldCloseAnInitiatorThatDoesNotFinishItsHandshake() throws Exception {
    try (FakeNode node = FakeNode.answering(ACCEPT);
        RunningLinks links =
            RunningLinks.before(node.address(), "framing: same", "handshake: 2s", "");
        FakeInitiator half = links.connect();
        FakeInitiator silent = links.connect()) {
      half.send(Frames.initiate(ConnectionType.SMALL), 0, 10);
      assertThat(half.readToEnd(Patience.LIMIT)).isEmpty();
      assertThat(silent.readToEnd(Patience.LIMIT)).isEmpty();
      assertThat(node.hasNext()).isFalse();
      awaitHandshakes(links, "no_initiate", 2);
      assertThat(Patience.soon(() -> links.gateway().bufferedBytes() == 0)).isTrue();
    }
  }

  @Test
  void shouldCloseAnInitiatorWhoseServerDoesNotAnswer() throws Exception {
    try (FakeNode node = FakeNode.mute();
        RunningLinks links =
            RunningLinks.before(node.address(), "framing: same", "handshake: 2s", "");
        FakeInitiator initiator = links.connect()) {
      initiator.send(Frames.initiate(ConnectionType.SMALL));
      assertThat(initiator.readToEnd(Patience.LIMIT)).isEmpty();
      assertThat(node.next().bodyToEnd()).isEmpty();
      awaitHandshakes(links, "no_accept", 1);
    }
  }

  @Test
  void shouldCloseAnInitiatorAtOnceWhenItsServerCannotBeReached() throws Exception {
    try (RunningLinks links =
        RunningLinks.before(FakeNode.nobody(), "framing: same", "handshake: 1m", "")) {
      try (FakeInitiator initiator = links.connect()) {
        initiator.send(Frames.initiate(ConnectionType.URGENT));
        assertThat(initiator.readToEnd(Patience.LIMIT)).isEmpty();
      }
      awaitHandshakes(links, "unreachable", 1);
      assertThat(links.admin("/pools")).contains("\"state\" : \"down\"", "cannot be reached");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"negative-initiate-crc", "negative-initiate-magic", "negative-initiate-framing3"})
  void shouldCloseWithoutAByteWhatIsNoHandshake(String vector) throws Exception {
    try (FakeNode node = FakeNode.answering(ACCEPT);
        RunningLinks links = RunningLinks.before(node.address());
        FakeInitiator initiator = links.connect()) {
      initiator.send(Vectors.bytes("negative/" + vector + ".bin"));
      assertThat(initiator.readToEnd(Patience.LIMIT)).isEmpty();
      assertThat(node.hasNext()).isFalse();
      awaitHandshakes(links, "invalid", 1);
    }
  }

  @Test
  void shouldCloseBothWhenTheAnswerIsDamaged() throws Exception {
    byte[] damaged = ACCEPT.clone();
    damaged[11] ^= 1;
    try (FakeNode node = FakeNode.answering(damaged);
        RunningLinks links = RunningLinks.before(node.address());
        FakeInitiator initiator = links.connect()) {
      initiator.send(Frames.initiate(ConnectionType.SMALL));
      assertThat(initiator.readToEnd(Patience.LIMIT)).isEmpty();
      assertThat(node.next().bodyToEnd()).isEmpty();
    }
  }

  @Test
  void shouldHandOverAnAnswerBehindWhichTheServerCloses() throws Exception {
    byte[] incompatible = Frames.accept(11 + 3, 14);
    try (FakeNode node = FakeNode.answering(incompatible);
        RunningLinks links = RunningLinks.before(node.address());
        FakeInitiator initiator = links.connect()) {
      initiator.send(Frames.initiate(ConnectionType.SMALL));
      node.next().close();
      assertThat(initiator.readToEnd(Patience.LIMIT)).isEqualTo(incompatible);
    }
  }

  @Test
  void shouldHoldWhatComesBeforeTheAnswer() throws Exception {
    byte[] frames = Frames.crc(true, Frames.message(1, Verb.PING_REQ, 0, 1_000));
    try (FakeNode node = FakeNode.mute();
        RunningLinks links = RunningLinks.before(node.address());
        FakeInitiator initiator = links.connect()) {
      initiator.send(Frames.join(Frames.initiate(ConnectionType.SMALL), frames));
      FakeNode.Incoming link = node.next();
      assertThat(Patience.soon(() -> links.gateway().bufferedBytes() >= frames.length)).isTrue();
      assertThat(link.body()).isEmpty();
      link.send(ACCEPT);
      assertThat(initiator.read(12)).isEqualTo(ACCEPT);
      assertThat(link.body(frames.length)).isEqualTo(frames);
    }
  }

  private static List<String> streams() {
    return List.of(
        "stream/v12-streaming-bootstrap-b2a",
        "stream/v12-streaming-rebuild-control-b2a",
        "stream/v12-streaming-rebuild-file-a2b",
        "stream/v13-streaming-bootstrap-b2a");
  }

  @ParameterizedTest
  @MethodSource("streams")
  void shouldPassStreamsBothWaysByteForByte(String name) throws Exception {
    byte[] there = Vectors.bytes(name + ".c2s.bin");
    byte[] back = Vectors.bytes(name + ".s2c.bin");
    try (FakeNode node = FakeNode.answering(back);
        RunningLinks links =
            RunningLinks.before(node.address(), "framing: lz4", "handshake: 5s", "");
        FakeInitiator initiator = links.connect()) {
      initiator.send(there);
      assertThat(initiator.read(back.length)).isEqualTo(back);
      assertThat(links.metric("sluice_internode_links{listener=\"ring\",type=\"streaming\"}"))
          .isEqualTo(1);
      initiator.leave();
      FakeNode.Incoming link = node.next();
      assertThat(Frames.join(link.initiate(), link.bodyToEnd())).isEqualTo(there);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"v10-lz4", "v10-plain", "v11-lz4", "v11-plain"})
  void shouldPassOldVersionsByteForByte(String name) throws Exception {
    byte[] there = Vectors.bytes("synthetic/legacy-" + name + "-c2s.bin");
    byte[] back = Vectors.bytes("handshake/legacy-accept-max11.bin");
    try (FakeNode node = FakeNode.answering(back);
        RunningLinks links =
            RunningLinks.before(node.address(), "framing: crc", "handshake: 5s", "");
        FakeInitiator initiator = links.connect()) {
      initiator.send(there);
      assertThat(initiator.read(4)).isEqualTo(back);
      initiator.leave();
      FakeNode.Incoming link = node.next();
      assertThat(Frames.join(link.initiate(), link.bodyToEnd())).isEqualTo(there);
    }
  }

  @Test
  void shouldPassTheAnswerOfANodeThatIsTooOld() throws Exception {
    byte[] old = {0, 0, 0, 11};
    try (FakeNode node = FakeNode.answering(old);
        RunningLinks links = RunningLinks.before(node.address());
        FakeInitiator initiator = links.connect()) {
      initiator.send(Frames.initiate(ConnectionType.URGENT));
      assertThat(initiator.read(4)).isEqualTo(old);
    }
  }

  @Test
  void shouldNotGuessWhatVersionsMeanThatNobodyKnowsYet() throws Exception {
    byte[] initiate = Frames.initiate(ConnectionType.SMALL, Framing.CRC, 100, 13);
    byte[] accept = Frames.accept(100, 100);
    byte[] anything = Arrays.copyOf(new byte[] {1, 2, 3}, 1000);
    try (FakeNode node = FakeNode.answering(accept);
        RunningLinks links =
            RunningLinks.before(node.address(), "framing: lz4", "handshake: 5s", "");
        FakeInitiator initiator = links.connect()) {
      initiator.send(initiate);
      assertThat(initiator.read(12)).isEqualTo(accept);
      FakeNode.Incoming link = node.next();
      assertThat(link.initiate()).isEqualTo(initiate);
      initiator.send(anything);
      assertThat(link.body(anything.length)).isEqualTo(anything);
    }
  }

  private static RunningLinks before(FakeNode node, String listener, String rule) {
    return RunningLinks.start(
        """
        admin: {bind: 127.0.0.1:0}
        process: {eventLoops: 1, memory: 16MiB, drain: 2s}
        listeners: {ring: {bind: 127.0.0.1:0, protocol: internode, route: ring%s}}
        routes: {ring: [{pool: node%s}]}
        pools: {node: {protocol: internode, servers: ["%s"]}}
        """
            .formatted(listener, rule, node.address()));
  }

  private static byte[] initiateStream(int max) {
    ByteBuf out = Unpooled.buffer();
    Initiate.writeStreaming(out, 12, 12, max, Frames.node(13));
    return Frames.bytes(out);
  }

  /** First messages of links, and answers, whose versions nobody here knows. */
  static Stream<Arguments> unknownVersions() {
    return Stream.of(
        Arguments.of(
            "newer messages",
            Frames.initiate(ConnectionType.SMALL, Framing.CRC, 100, 13),
            Frames.accept(100, 100)),
        Arguments.of("a newer stream", initiateStream(15), Frames.accept(15, 15)),
        Arguments.of(
            "an older node", Frames.initiate(ConnectionType.SMALL), new byte[] {0, 0, 0, 11}),
        Arguments.of(
            "older messages", new byte[] {-54, 85, 45, -6, 0, 0, 11, 0}, new byte[] {0, 0, 0, 11}));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("unknownVersions")
  void shouldCountAndLogVersionsThatNobodyKnows(String name, byte[] initiate, byte[] answer)
      throws Exception {
    try (FakeNode node = FakeNode.answering(answer);
        RunningLinks links = before(node, "", "");
        LogLines log = LogLines.of("sluice.gateway.internode");
        FakeInitiator initiator = links.connect()) {
      initiator.send(initiate);
      assertThat(initiator.read(answer.length)).isEqualTo(answer);
      assertThat(node.next().initiate()).isEqualTo(initiate);
      assertThat(Patience.soon(() -> handshakes(links, "unknown_passed") == 1)).isTrue();
      assertThat(log.lines())
          .singleElement()
          .asString()
          .contains(" sends version ", ", which no rule can inspect: it passes unchanged");
      assertThat(handshakes(links, "ok")).isZero();
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("unknownVersions")
  void shouldRefuseVersionsThatNobodyKnowsWhereItIsStrict(
      String name, byte[] initiate, byte[] answer) throws Exception {
    try (FakeNode node = FakeNode.answering(answer);
        RunningLinks links = before(node, ", strict: true", "");
        LogLines log = LogLines.of("sluice.gateway.internode");
        FakeInitiator initiator = links.connect()) {
      initiator.send(initiate);
      assertThat(initiator.readToEnd(Patience.LIMIT)).isEmpty();
      assertThat(Patience.soon(() -> handshakes(links, "unknown_refused") == 1)).isTrue();
      assertThat(log.lines()).singleElement().asString().contains("no rule can inspect version ");
      assertThat(links.gateway().bufferedBytes()).isZero();
    }
  }

  @Test
  void shouldRefuseWhatIsEncryptedWhereItIsStrict() throws Exception {
    try (FakeNode node = FakeNode.answering(ACCEPT);
        RunningLinks links = before(node, ", strict: true", "");
        FakeInitiator initiator = links.connect().send(new byte[] {0x16, 3, 1, 0, 100, 1})) {
      assertThat(initiator.readToEnd(Patience.LIMIT)).isEmpty();
      assertThat(node.hasNext()).isFalse();
      awaitHandshakes(links, "unknown_refused", 1);
    }
  }

  /** Those whose first message has an address. */
  static Stream<Arguments> unknownVersionsOfModernNodes() {
    return unknownVersions().limit(3);
  }

  /** The server would know the sender by one address in the handshake, and by another behind it. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("unknownVersionsOfModernNodes")
  void shouldNotPassMessagesBehindAnAddressThatWasReplacedIfTheirVersionIsNotKnown(
      String name, byte[] initiate, byte[] answer) throws Exception {
    try (FakeNode node = FakeNode.answering(answer);
        RunningLinks links = before(node, "", ", addresses: {from: {127.0.0.13: 127.0.0.25}}");
        FakeInitiator initiator = links.connect()) {
      initiator.send(Frames.join(initiate, new byte[100]));
      byte[] told = initiator.readToEnd(Patience.LIMIT);
      assertThat(told).isIn(answer, new byte[0]);
      if (node.hasNext()) {
        assertThat(node.next().bodyToEnd()).isEmpty();
      }
      awaitHandshakes(links, "unknown_refused", 1);
    }
  }

  @Test
  void shouldPassWhatIsEncryptedByteForByte() throws Exception {
    byte[] hello = Arrays.copyOf(new byte[] {0x16, 3, 1, 0, 100, 1}, 105);
    byte[] answer = {0x16, 3, 3, 0, 1, 2};
    try (java.net.ServerSocket node = new java.net.ServerSocket(0);
        RunningLinks links =
            RunningLinks.before(
                "127.0.0.1:" + node.getLocalPort(), "framing: lz4", "handshake: 5s", "");
        FakeInitiator initiator = links.connect().send(hello);
        java.net.Socket socket = node.accept()) {
      assertThat(socket.getInputStream().readNBytes(hello.length)).isEqualTo(hello);
      socket.getOutputStream().write(answer);
      assertThat(initiator.read(answer.length)).isEqualTo(answer);
      assertThat(links.admin("/listeners")).contains("\"tls\" : 1");
    }
  }

  @Test
  void shouldRefuseMoreLinksThanItMayHave() throws Exception {
    try (FakeNode node = FakeNode.answering(ACCEPT);
        RunningLinks links =
            RunningLinks.before(node.address(), "framing: same", "connections: 1", "");
        FakeInitiator first = open(links)) {
      try (FakeInitiator second = links.connect()) {
        assertThat(second.readToEnd(Patience.LIMIT)).isEmpty();
      }
      first.leave();
      assertThat(Patience.soon(() -> links.metric("sluice_connections{listener=\"ring\"}") == 0))
          .isTrue();
      try (FakeInitiator third = open(links)) {
        assertThat(links.admin("/listeners")).contains("\"small\" : 1", "\"connections\" : 1");
        assertThat(links.admin("/pools")).contains("\"state\" : \"up\"", "\"connections\" : 1");
        third.leave();
      }
      awaitHandshakes(links, "refused", 1);
    }
  }

  @Test
  void shouldCloseWhatIsIdle() throws Exception {
    try (FakeNode node = FakeNode.answering(ACCEPT);
        RunningLinks links = RunningLinks.before(node.address(), "framing: same", "idle: 2s", "");
        FakeInitiator initiator = open(links)) {
      assertThat(initiator.readToEnd(Patience.LIMIT)).isEmpty();
      assertThat(node.next().bodyToEnd()).isEmpty();
    }
  }

  @Test
  void shouldCloseLinksWhenItDrainsAndLetStreamsEnd() throws Exception {
    byte[] stream = Vectors.bytes("stream/v12-streaming-rebuild-control-b2a.c2s.bin");
    try (FakeNode node = FakeNode.answering(ACCEPT);
        RunningLinks links = RunningLinks.before(node.address());
        FakeInitiator messages = open(links);
        FakeInitiator streaming = links.connect()) {
      streaming.send(stream, 0, 19);
      assertThat(streaming.read(12)).isEqualTo(ACCEPT);
      var stopped = links.gateway().drain();
      assertThat(messages.readToEnd(Patience.LIMIT)).isEmpty();
      streaming.send(stream, 19, stream.length);
      streaming.leave();
      node.next();
      assertThat(node.next().bodyToEnd()).isEqualTo(Arrays.copyOfRange(stream, 19, stream.length));
      assertThat(Patience.soon(stopped::isComplete)).isTrue();
    }
  }

  static FakeInitiator open(RunningLinks links) throws IOException {
    FakeInitiator initiator = links.connect().send(Frames.initiate(ConnectionType.SMALL));
    assertThat(initiator.read(12)).isEqualTo(ACCEPT);
    return initiator;
  }

  private static void awaitHandshakes(RunningLinks links, String outcome, int count) {
    assertThat(Patience.soon(() -> handshakes(links, outcome) == count)).as(outcome).isTrue();
  }

  private static double handshakes(RunningLinks links, String outcome) {
    return links.metric(
        "sluice_internode_handshakes_total{listener=\"ring\",outcome=\"" + outcome + "\"}");
  }
}
