package sluice.gateway.internode;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.codecs.internode.ConnectionType;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.Initiate;
import sluice.codecs.internode.Vectors;
import sluice.names.Verb;
import sluice.testkit.Patience;

/** What becomes of whole conversations where addresses are replaced: by longer ones, and back. */
class ReplacedAddressesTest {
  private static final String LONGER =
      "from: {127.0.0.12: \"2001:db8::12\", 127.0.0.13: \"2001:db8::13\"},"
          + " to: {\"127.0.0.14:7000\": \"[2001:db8::14]:7001\"}";
  private static final String BACK =
      "from: {\"2001:db8::12\": 127.0.0.12, \"2001:db8::13\": 127.0.0.13},"
          + " to: {\"[2001:db8::14]:7001\": \"127.0.0.14:7000\"}";

  private static RunningLinks before(InetSocketAddress node, String framing, String addresses) {
    return RunningLinks.start(
        """
        admin: {bind: 127.0.0.1:0}
        process: {eventLoops: 2, memory: 16MiB, drain: 2s}
        listeners: {ring: {bind: 127.0.0.1:0, protocol: internode, route: ring}}
        routes: {ring: [{pool: node, addresses: {%s}}]}
        pools: {node: {protocol: internode, servers: ["127.0.0.1:%d"], framing: %s}}
        """
            .formatted(addresses, node.getPort(), framing));
  }

  private static InetSocketAddress address(FakeNode node) {
    String address = node.address();
    return new InetSocketAddress(
        InetAddress.getLoopbackAddress(),
        Integer.parseInt(address.substring(address.indexOf(':') + 1)));
  }

  private static double unread(RunningLinks links, String reason) {
    return links.metric(
        "sluice_internode_unread_addresses_total{listener=\"ring\",reason=\"%s\"}"
            .formatted(reason));
  }

  private static List<Vectors.Vector> conversations() {
    return Vectors.intact().stream()
        .filter(v -> v.file().endsWith(".c2s.bin") && v.reply() != null)
        .toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"same", "lz4"})
  void shouldPutBackWhatItReplacedInEveryRecordedConversation(String framing) throws Exception {
    long seed = System.nanoTime();
    assertThat(conversations()).hasSizeGreaterThan(30);
    for (byte[] accept : accepts()) {
      try (FakeNode node = FakeNode.answering(accept);
          RunningLinks second = before(address(node), "same", BACK);
          RunningLinks first = before(second.address(), framing, LONGER)) {
        for (Vectors.Vector vector : conversations()) {
          if (Arrays.equals(accept, LinkTest.accept(vector))) {
            passBoth(vector, framing, first, node, seed);
          }
        }
        assertThat(unread(first, "unparsed")).isZero();
        assertThat(unread(second, "unparsed")).isZero();
        assertThat(Patience.soon(() -> first.gateway().bufferedBytes() == 0)).isTrue();
        assertThat(Patience.soon(() -> second.gateway().bufferedBytes() == 0)).isTrue();
      }
    }
  }

  private static List<byte[]> accepts() {
    return conversations().stream()
        .map(v -> java.nio.ByteBuffer.wrap(LinkTest.accept(v)))
        .distinct()
        .map(java.nio.ByteBuffer::array)
        .toList();
  }

  private static void passBoth(
      Vectors.Vector vector, String framing, RunningLinks first, FakeNode node, long seed)
      throws Exception {
    String name = vector.file() + ", seed " + seed;
    byte[] bytes = vector.bytes();
    int start = LinkTest.initiate(bytes).length();
    Framing sent = framing.equals("same") ? vector.framing() : Framing.LZ4;
    try (FakeInitiator initiator = first.connect()) {
      initiator.send(bytes, 0, start).read(12);
      FakeNode.Incoming link = node.next();
      LinkTest.assertInitiate(link.initiate(), Arrays.copyOf(bytes, start), sent);
      sendInPieces(initiator, bytes, start, new Random(seed));
      initiator.leave();
      Decoded after = Decoded.of(sent, vector.version(), link.bodyToEnd(), 0);
      Decoded before = Decoded.of(vector.framing(), vector.version(), bytes, start);
      assertThat(after.messages()).as(name).isEqualTo(before.messages());
      assertThat(after.plain()).as(name).isEqualTo(before.plain());
    }
  }

  private static void sendInPieces(FakeInitiator initiator, byte[] bytes, int start, Random random)
      throws Exception {
    for (int at = start; at < bytes.length; ) {
      int to = Math.min(bytes.length, at + 1 + random.nextInt(random.nextBoolean() ? 40_000 : 200));
      initiator.send(bytes, at, to);
      at = to;
    }
  }

  static List<String> streams() {
    return Vectors.ALL.stream()
        .map(Vectors.Vector::file)
        .filter(f -> f.startsWith("stream/") && f.contains("streaming") && f.endsWith("c2s.bin"))
        .toList();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("streams")
  void shouldPutBackWhatItReplacedInStreamsBothWays(String file) throws Exception {
    byte[] bytes = Vectors.bytes(file);
    int start = LinkTest.initiate(bytes).length();
    byte[] body = Arrays.copyOfRange(bytes, start, bytes.length);
    byte[] accept = Arrays.copyOf(Vectors.bytes(file.replace("c2s", "s2c")), 12);
    byte[] answer = Frames.join(accept, body); // the same messages, the other way round
    for (int cut : new int[] {1, start + 1, start + 40, start + 41, bytes.length - 1}) {
      try (FakeNode node = FakeNode.answering(answer);
          RunningLinks second = before(address(node), "same", BACK);
          RunningLinks first = before(second.address(), "same", LONGER);
          FakeInitiator initiator = first.connect()) {
        initiator.send(bytes, 0, cut).send(bytes, cut, bytes.length);
        assertThat(initiator.read(answer.length)).isEqualTo(answer);
        FakeNode.Incoming link = node.next();
        assertThat(link.body(body.length)).isEqualTo(body);
        assertThat(link.initiate()).isEqualTo(Arrays.copyOf(bytes, start));
        assertThat(unread(first, "stream") + unread(second, "stream")).isZero();
        initiator.leave();
        assertThat(Patience.soon(() -> first.gateway().bufferedBytes() == 0)).isTrue();
      }
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("streams")
  void shouldReplaceInStreamsOneWayAndTheInverseTheOther(String file) throws Exception {
    byte[] bytes = Vectors.bytes(file);
    int start = LinkTest.initiate(bytes).length();
    byte[] body = Arrays.copyOfRange(bytes, start, bytes.length);
    byte[] accept = Arrays.copyOf(Vectors.bytes(file.replace("c2s", "s2c")), 12);
    String addresses = "from: {127.0.0.12: 10.0.0.12, 10.0.0.13: 127.0.0.13}";
    try (FakeNode node = FakeNode.answering(Frames.join(accept, body));
        RunningLinks links = before(address(node), "same", addresses);
        FakeInitiator initiator = links.connect()) {
      initiator.send(bytes);
      byte[] back = Arrays.copyOfRange(initiator.read(12 + body.length), 12, 12 + body.length);
      byte[] there = node.next().body(body.length);
      assertThat(count(body, 127, 12) + count(body, 127, 13)).isPositive();
      assertThat(count(there, 10, 12)).isEqualTo(count(body, 127, 12));
      assertThat(count(there, 127, 12)).isZero();
      assertThat(count(there, 127, 13)).isEqualTo(count(body, 127, 13));
      assertThat(count(back, 10, 13)).isEqualTo(count(body, 127, 13));
      assertThat(count(back, 127, 13)).isZero();
      assertThat(count(back, 127, 12)).isEqualTo(count(body, 127, 12));
    }
  }

  /** How often NETWORK.0.0.LAST:7000 is in there. */
  private static int count(byte[] bytes, int network, int last) {
    byte[] wanted = {6, (byte) network, 0, 0, (byte) last, 0x1b, 0x58};
    int found = 0;
    for (int at = 0; at + wanted.length <= bytes.length; at++) {
      if (Arrays.equals(bytes, at, at + wanted.length, wanted, 0, wanted.length)) {
        found++;
      }
    }
    return found;
  }

  @Test
  void shouldSayALongerAddressInTheHandshake() throws Exception {
    try (FakeNode node = FakeNode.answering(Frames.accept(12, 12));
        RunningLinks links = before(address(node), "lz4", LONGER);
        FakeInitiator initiator = links.connect()) {
      initiator.send(Frames.initiate(ConnectionType.SMALL, Framing.CRC, 12, 13)).read(12);
      Initiate there = LinkTest.initiate(node.next().initiate());
      assertThat(there.from())
          .isEqualTo(new InetSocketAddress(InetAddress.getByName("2001:db8::13"), 7000));
      assertThat(there.framing()).isEqualTo(Framing.LZ4);
      assertThat(there.type()).isEqualTo(ConnectionType.SMALL);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"v10-lz4", "v11-plain"})
  void shouldNotTouchWhatOldNodesSay(String name) throws Exception {
    byte[] bytes = Vectors.bytes("synthetic/legacy-" + name + "-c2s.bin");
    byte[] answer = Vectors.bytes("handshake/legacy-accept-max11.bin");
    try (FakeNode node = FakeNode.answering(answer);
        RunningLinks links = before(address(node), "lz4", LONGER);
        FakeInitiator initiator = links.connect()) {
      initiator.send(bytes);
      assertThat(initiator.read(answer.length)).isEqualTo(answer);
      initiator.leave();
      FakeNode.Incoming link = node.next();
      assertThat(Frames.join(link.initiate(), link.bodyToEnd())).isEqualTo(bytes);
    }
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "crc-payload-crc, 1, 0",
    "lz4-payload-bit, 1, 0",
    "crc-first-partial-payload-crc, 0, 1"
  })
  void shouldNeverGiveACorruptPayloadAFreshChecksum(String name, int dropped, int closed)
      throws Exception {
    Vectors.Vector vector = Vectors.named("negative/negative-" + name + ".bin");
    byte[] bytes = vector.bytes();
    int start = LinkTest.initiate(bytes).length();
    try (FakeNode node = FakeNode.answering(Frames.accept(12, 12));
        RunningLinks links = before(address(node), "same", LONGER);
        FakeInitiator initiator = links.connect()) {
      initiator.send(bytes, 0, start).read(12);
      FakeNode.Incoming link = node.next();
      initiator.send(bytes, start, bytes.length);
      if (closed == 0) {
        initiator.leave();
      }
      List<String> seen = Decoded.of(vector.framing(), 12, link.bodyToEnd(), 0).messages();
      List<String> intact = Decoded.described(vector.messages());
      if (closed == 0) {
        assertThat(seen).isEqualTo(intact);
      } else {
        assertThat(intact).startsWith(seen.toArray(String[]::new));
      }
      assertThat(links.metric("sluice_internode_dropped_frames_total{listener=\"ring\"}"))
          .isEqualTo(dropped);
      assertThat(links.metric("sluice_internode_protocol_errors_total{listener=\"ring\"}"))
          .isEqualTo(closed);
    }
  }

  @Test
  void shouldPassAndCountWhatItCannotRead() throws Exception {
    try (FakeNode node = FakeNode.answering(Frames.accept(12, 12));
        RunningLinks links = before(address(node), "same", LONGER);
        FakeInitiator initiator = links.connect()) {
      initiator.send(Frames.initiate(ConnectionType.URGENT)).read(12);
      byte[] frame =
          Frames.crc(
              true,
              Frames.message(7, Verb.GOSSIP_DIGEST_SYN, 0, 100), // its payload is no digest
              Frames.message(8, Verb.SYNC_REQ, 0, 50),
              Frames.message(9, Verb.PING_REQ, 0, 1));
      initiator.send(frame);
      assertThat(node.next().body(frame.length)).isEqualTo(frame);
      assertThat(unread(links, "unparsed")).isEqualTo(2);
      assertThat(unread(links, "verb")).isZero();
    }
  }

  @Test
  void shouldCountPayloadsOfVerbsThatAreNotRead() throws Exception {
    Vectors.Vector vector =
        Vectors.intact().stream()
            .filter(v -> v.version() == 14 && v.file().endsWith("c2s.bin") && v.reply() != null)
            .filter(v -> v.messages().stream().anyMatch(m -> m.get(1).equals("TCM_REPLICATION")))
            .findFirst()
            .orElseThrow();
    byte[] bytes = vector.bytes();
    int start = LinkTest.initiate(bytes).length();
    try (FakeNode node = FakeNode.answering(LinkTest.accept(vector));
        RunningLinks links = before(address(node), "same", LONGER);
        FakeInitiator initiator = links.connect()) {
      initiator.send(bytes, 0, start).read(12);
      initiator.send(bytes, start, bytes.length).leave();
      assertThat(node.next().bodyToEnd()).isNotEmpty();
      assertThat(unread(links, "verb")).isPositive();
    }
  }

  @Test
  void shouldPassAStreamAsItIsFromWhatItCannotReadAndCountItOnce() throws Exception {
    byte[] nonsense = new byte[300];
    Arrays.fill(nonsense, (byte) 0x7F);
    ByteBuf streaming = Unpooled.buffer();
    Initiate.writeStreaming(streaming, 12, 12, 12, Frames.node(13));
    byte[] answer = Frames.join(Frames.accept(12, 12), nonsense);
    try (FakeNode node = FakeNode.answering(answer);
        RunningLinks links = before(address(node), "same", LONGER);
        FakeInitiator initiator = links.connect()) {
      initiator.send(Frames.bytes(streaming)).send(nonsense).send(nonsense);
      assertThat(initiator.read(answer.length)).isEqualTo(answer);
      assertThat(node.next().body(600)).isEqualTo(Frames.join(nonsense, nonsense));
      assertThat(unread(links, "stream")).isEqualTo(1);
    }
  }

  @Test
  void shouldAnswerStraightWhereNoListenerStandsForWhoAsked() throws Exception {
    try (FakeNode asks = FakeNode.answering(Frames.accept(12, 12));
        FakeNode rejects = FakeNode.answering(Frames.accept(12, 12));
        RunningLinks links =
            RunningLinks.start(
                """
                admin: {bind: 127.0.0.1:0}
                listeners:
                  b: {bind: 127.0.0.1:0, node: 127.0.0.13:7000, protocol: internode, route: b}
                routes:
                  b:
                    - {match: {verbs: [TRUNCATE_REQ]}, reject: not from here}
                    - {pool: b, addresses: {from: {"%s": "192.0.2.1:%d"}, to: {127.0.0.13: 192.0.2.3}}}
                pools:
                  b: {protocol: internode, servers: ["%s"]}
                """
                    .formatted(asks.address(), address(asks).getPort(), rejects.address()));
        FakeInitiator initiator = new FakeInitiator(links.address("b"))) {
      ByteBuf initiate = Unpooled.buffer();
      Initiate.writeMessaging(
          initiate, ConnectionType.URGENT, Framing.CRC, 12, 12, 12, address(asks));
      initiator.send(Frames.bytes(initiate)).read(12);
      assertThat(LinkTest.initiate(rejects.next().initiate()).from())
          .isEqualTo(
              new InetSocketAddress(InetAddress.getByName("192.0.2.1"), address(asks).getPort()));
      initiator.send(Frames.crc(true, Frames.message(301, Verb.TRUNCATE_REQ, 1, 100)));
      FakeNode.Incoming back = asks.next();
      assertThat(LinkTest.initiate(back.initiate()).from()).isEqualTo(Frames.node(13));
      byte[] answer = Frames.crc(true, Frames.message(301, Verb.FAILURE_RSP, 0, 1));
      assertThat(Decoded.of(Framing.CRC, 12, back.body(answer.length), 0).messages())
          .containsExactly("301 FAILURE_RSP 12 1");
    }
  }
}
