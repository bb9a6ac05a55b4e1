package sluice.gateway.internode;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.codecs.internode.ConnectionType;
import sluice.codecs.internode.FrameCrc32;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.Initiate;
import sluice.codecs.internode.MessageHeader;
import sluice.config.Loader;
import sluice.names.Verb;
import sluice.testkit.Patience;

/** Requests that a rule takes out are answered, on a connection that leads back. */
class AnswerTest {
  private static final byte[] ACCEPT = Frames.accept(12, 12);
  private static final String REJECT = "{match: {verbs: [TRUNCATE_REQ]}, reject: not from here}";

  /** Two nodes, each behind a listener of its own; what goes to b passes a rule. */
  private static RunningLinks between(String a, String b, String framing, int loops) {
    return RunningLinks.start(yaml(a, b, framing, loops));
  }

  private static String yaml(String a, String b, String framing, int loops) {
    return """
    admin: {bind: 127.0.0.1:0}
    process: {eventLoops: %d, memory: 16MiB}
    listeners:
      a: {bind: 127.0.0.1:0, node: 127.0.0.12:7000, protocol: internode, route: a}
      b: {bind: 127.0.0.1:0, node: 127.0.0.13:7000, protocol: internode, route: b}
    routes:
      a: [{pool: a}]
      b: [%s, {pool: b}]
    pools:
      a: {protocol: internode, servers: ["%s"], framing: %s}
      b: {protocol: internode, servers: ["%s"]}
    """
        .formatted(loops, REJECT, a, framing, b);
  }

  private static byte[] truncate(long id, int flags) {
    return Frames.message(id, Verb.TRUNCATE_REQ, flags, 100);
  }

  private static FakeInitiator open(
      InetSocketAddress listener, ConnectionType type, Framing framing, int last) throws Exception {
    FakeInitiator initiator = new FakeInitiator(listener);
    initiator.send(Frames.initiate(type, framing, 12, last)).read(12);
    return initiator;
  }

  @ParameterizedTest
  @EnumSource(Framing.class)
  void shouldAnswerOnALinkThatLeadsBackFromWhateverEventLoop(Framing framing) throws Exception {
    String name = framing.name().toLowerCase(java.util.Locale.ROOT);
    try (FakeNode a = FakeNode.answering(ACCEPT);
        FakeNode b = FakeNode.answering(ACCEPT);
        RunningLinks links = between(a.address(), b.address(), name, 2);
        FakeInitiator back = open(links.address("a"), ConnectionType.URGENT, Framing.CRC, 13);
        FakeInitiator one = open(links.address("b"), ConnectionType.URGENT, Framing.CRC, 12);
        FakeInitiator other = open(links.address("b"), ConnectionType.SMALL, Framing.CRC, 12)) {
      FakeNode.Incoming toA = a.next();
      byte[] kept = Frames.message(9, Verb.PING_REQ, 0, 10);
      one.send(Frames.crc(true, kept, truncate(301, 1), truncate(302, 0)));
      int length = framing.headerLength() + framing.trailerLength() + answer(301).length;
      assertAnswer(toA.body(length), framing, 301);
      other.send(Frames.crc(true, truncate(70_000, 1)));
      byte[] both =
          toA.body(
              length + framing.headerLength() + framing.trailerLength() + answer(70_000).length);
      assertAnswer(Arrays.copyOfRange(both, length, both.length), framing, 70_000);
      links.awaitMetric(
          "sluice_internode_failure_responses_total{listener=\"b\",outcome=\"sent\"}", 2);
      links.awaitMetric(
          "sluice_internode_rejected_messages_total{listener=\"b\",verb=\"TRUNCATE_REQ\"}", 3);
      byte[] left = Frames.crc(true, kept);
      assertThat(b.next().body(left.length)).isEqualTo(left);
      back.leave();
    }
  }

  @Test
  void shouldOpenAConnectionOfItsOwnWhenNoLinkLeadsBack() throws Exception {
    try (FakeNode a = FakeNode.answering(ACCEPT);
        FakeNode b = FakeNode.answering(Frames.accept(13, 12));
        RunningLinks links = between(a.address(), b.address(), "lz4", 1);
        FakeInitiator one = open(links.address("b"), ConnectionType.URGENT, Framing.CRC, 12)) {
      one.send(Frames.crc(true, truncate(301, 1)));
      FakeNode.Incoming toA = a.next();
      Initiate initiate = LinkTest.initiate(toA.initiate());
      assertThat(initiate.from()).isEqualTo(Frames.node(13));
      assertThat(initiate.type()).isEqualTo(ConnectionType.URGENT);
      assertThat(initiate.minVersion()).isEqualTo(12);
      assertThat(initiate.maxVersion()).isEqualTo(13); // as b says of itself
      int length = Framing.CRC.headerLength() + 4 + answer(301).length;
      assertAnswer(toA.body(length), Framing.CRC, 301);
      one.send(Frames.crc(true, truncate(302, 1)));
      assertAnswer(Arrays.copyOfRange(toA.body(2 * length), length, 2 * length), Framing.CRC, 302);
      assertThat(a.hasNext()).isFalse();
    }
  }

  @Test
  void shouldAnswerAtTheNewAddressOfANodeAfterAReload() throws Exception {
    try (FakeNode before = FakeNode.answering(ACCEPT);
        FakeNode after = FakeNode.answering(ACCEPT);
        FakeNode b = FakeNode.answering(ACCEPT);
        RunningLinks links = between(before.address(), b.address(), "same", 1);
        FakeInitiator asks = open(links.address("b"), ConnectionType.URGENT, Framing.CRC, 12)) {
      int length = Framing.CRC.headerLength() + 4 + answer(301).length;
      asks.send(Frames.crc(true, truncate(301, 1)));
      FakeNode.Incoming first = before.next();
      assertAnswer(first.body(length), Framing.CRC, 301);
      String yaml = yaml(after.address(), b.address(), "same", 1);
      links
          .gateway()
          .follow(Loader.parse("test.yaml", yaml).configuration())
          .await(20, TimeUnit.SECONDS);
      assertThat(first.bodyToEnd()).hasSize(length);

      asks.send(Frames.crc(true, truncate(302, 1)));

      assertAnswer(after.next().body(length), Framing.CRC, 302);
    }
  }

  /** A node that does not read, and goes on asking, must not fill the gateway with answers. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldNotPileUpAnswersForANodeThatDoesNotRead(boolean leadsBack) throws Exception {
    int requests = 900;
    byte[][] frame = new byte[requests][];
    for (int i = 0; i < requests; i++) {
      frame[i] = Frames.message(i, Verb.TRUNCATE_REQ, MessageHeader.CALL_BACK_ON_FAILURE, 0);
    }
    byte[] batch = Frames.crc(true, frame);
    try (FakeNode a = FakeNode.slow(ACCEPT);
        FakeNode b = FakeNode.answering(ACCEPT);
        RunningLinks links =
            RunningLinks.start(
                yaml(a.address(), b.address(), "same", 1)
                    .replace("route: a}", "route: a, limits: {inFlightBytes: 64KiB}}"));
        FakeInitiator back =
            leadsBack ? open(links.address("a"), ConnectionType.SMALL, Framing.CRC, 13) : null;
        FakeInitiator asks = open(links.address("b"), ConnectionType.URGENT, Framing.CRC, 12)) {
      int batches = 0;
      for (int more = 0; more < 20; batches++) {
        int expected = (batches + 1) * requests;
        asks.send(batch);
        assertThat(
                Patience.soon(() -> answers(links, "sent") + answers(links, "unsent") == expected))
            .isTrue();
        more += answers(links, "unsent") > 0 ? 1 : 0;
        assertThat(batches).isLessThan(1_000);
      }
      assertThat(links.gateway().bufferedBytes()).isLessThan(256 * 1024);
      if (back != null) {
        back.leave();
      }
    }
  }

  private static double answers(RunningLinks links, String outcome) {
    return links.metric(
        "sluice_internode_failure_responses_total{listener=\"b\",outcome=\"%s\"}"
            .formatted(outcome));
  }

  @Test
  void shouldSayThatNobodyWasToldWhenNobodyCanBe() throws Exception {
    try (FakeNode b = FakeNode.answering(ACCEPT);
        RunningLinks links = between(FakeNode.nobody(), b.address(), "same", 1);
        FakeInitiator one = open(links.address("b"), ConnectionType.URGENT, Framing.CRC, 12)) {
      one.send(Frames.crc(true, truncate(301, 1), truncate(302, 1)));
      assertThat(
              Patience.soon(
                  () ->
                      links.metric(
                              "sluice_internode_failure_responses_total{listener=\"b\",outcome=\"unsent\"}")
                          == 2))
          .isTrue();
    }
  }

  @Test
  void shouldAnswerInVersion14WithTheEpochOfTheRequestAndNoException() throws Exception {
    byte[] answer = Frames.message(14, 301, 70_000, Verb.FAILURE_RSP, 0, 2);
    int length = Framing.CRC.headerLength() + answer.length + Framing.CRC.trailerLength();
    byte[] request = Frames.message(14, 301, 70_000, Verb.TRUNCATE_REQ, 1, 100);
    try (FakeNode a = FakeNode.answering(Frames.accept(14, 14));
        FakeNode b = FakeNode.answering(Frames.accept(14, 14));
        RunningLinks links = between(a.address(), b.address(), "same", 1);
        FakeInitiator one =
            new FakeInitiator(links.address("b"))
                .send(Frames.initiate(ConnectionType.URGENT, Framing.CRC, 14, 12))) {
      one.read(12);
      one.send(Frames.crc(true, request));
      assertAnswer14(a.next().body(length)); // on a connection of its own
      try (FakeInitiator back =
          new FakeInitiator(links.address("a"))
              .send(Frames.initiate(ConnectionType.URGENT, Framing.CRC, 14, 13))) {
        back.read(12);
        one.send(Frames.crc(true, request));
        assertAnswer14(a.next().body(length));
        back.leave();
      }
    }
  }

  private static void assertAnswer14(byte[] bytes) {
    ByteBuf frame = Unpooled.wrappedBuffer(bytes);
    MessageHeader header = new MessageHeader();
    int end = bytes.length - Framing.CRC.trailerLength();
    assertThat(header.parse(frame, Framing.CRC.headerLength(), end, 14)).isTrue();
    assertThat(header.id()).isEqualTo(301);
    assertThat(header.epoch()).isEqualTo(70_000);
    assertThat(header.verb()).isEqualTo(Verb.FAILURE_RSP.id());
    assertThat(header.payloadLength()).isEqualTo(2);
    assertThat(frame.getShort(header.payloadIndex())).isZero(); // UNKNOWN, no exception
    assertThat(header.payloadIndex() + 2).isEqualTo(end);
    assertThat(Decoded.of(Framing.CRC, 14, bytes, 0).messages()).hasSize(1);
  }

  private static byte[] answer(long id) {
    return Frames.message(id, Verb.FAILURE_RSP, 0, 1);
  }

  private static void assertAnswer(byte[] bytes, Framing framing, long id) {
    ByteBuf frame = Unpooled.wrappedBuffer(bytes);
    MessageHeader header = new MessageHeader();
    int start = framing.headerLength();
    int end = bytes.length - framing.trailerLength();
    assertThat(header.parse(frame, start, end, 12)).isTrue();
    assertThat(header.id()).isEqualTo(id);
    assertThat(header.verb()).isEqualTo(Verb.FAILURE_RSP.id());
    assertThat(header.expiresAfterMillis()).isBetween(5_000L, 10_000L);
    assertThat(header.payloadLength()).isEqualTo(1);
    assertThat(frame.getByte(header.payloadIndex())).isZero();
    assertThat(header.payloadIndex() + 1).isEqualTo(end);
    if (framing.trailerLength() > 0) {
      assertThat(frame.getIntLE(end)).isEqualTo(new FrameCrc32().of(frame, start, end - start));
    }
    assertThat(Decoded.of(framing, 12, bytes, 0).messages()).hasSize(1);
  }
}
