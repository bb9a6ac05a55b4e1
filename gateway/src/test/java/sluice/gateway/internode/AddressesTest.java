package sluice.gateway.internode;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.codecs.internode.ConnectionType;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.Initiate;
import sluice.codecs.internode.Vectors;
import sluice.names.Verb;

/** Nodes that know each other by other addresses than their own. */
class AddressesTest {
  /** In the recorded streams a and b are 127.0.0.12 and 127.0.0.13. */
  private static final byte[] A = {6, 127, 0, 0, 12, 0x1b, 0x58};

  private static final byte[] B = {6, 127, 0, 0, 13, 0x1b, 0x58};
  private static final byte[] NEW_A = {6, 10, 0, 0, 12, 0x1b, 0x58};
  private static final byte[] NEW_B = {6, 10, 0, 0, 13, 0x1b, 0x58};
  private static final String ADDRESSES =
      "addresses: {from: {127.0.0.13: 10.0.0.13}, to: {\"127.0.0.12:7000\": \"10.0.0.12:7000\"}}";

  private static RunningLinks before(FakeNode node, String framing) {
    return RunningLinks.start(
        """
        admin: {bind: 127.0.0.1:0}
        process: {eventLoops: 1, memory: 16MiB}
        listeners: {ring: {bind: 127.0.0.1:0, protocol: internode, route: ring}}
        routes: {ring: [{pool: node, %s}]}
        pools: {node: {protocol: internode, servers: ["%s"], framing: %s}}
        """
            .formatted(ADDRESSES, node.address(), framing));
  }

  @ParameterizedTest
  @EnumSource(Framing.class)
  void shouldReplaceThemInGossip(Framing sent) throws Exception {
    Vectors.Vector vector = Vectors.named("stream/v12-lz4-urgent-b2a.c2s.bin");
    byte[] bytes = vector.bytes();
    byte[] plain = Decoded.of(vector.framing(), 12, bytes, 19).plain();
    assertThat(count(plain, A)).isPositive();
    assertThat(count(plain, B)).isPositive();
    try (FakeNode node = FakeNode.answering(LinkTest.accept(vector));
        RunningLinks links = before(node, sent.name().toLowerCase(Locale.ROOT));
        FakeInitiator initiator = links.connect()) {
      initiator.send(bytes, 0, 19).read(12);
      // A half-close: the rest of a closed socket may take only so long, too little on a busy
      // machine.
      initiator.send(bytes, 19, bytes.length).endOutput();
      FakeNode.Incoming link = node.next();
      assertThat(LinkTest.initiate(link.initiate()).from())
          .isEqualTo(new java.net.InetSocketAddress(ip(10, 0, 0, 13), 7000));
      byte[] there = Decoded.of(sent, 12, link.bodyToEnd(), 0).plain();
      assertThat(count(there, A)).isZero();
      assertThat(count(there, B)).isZero();
      assertThat(count(there, NEW_A)).isEqualTo(count(plain, A));
      assertThat(count(there, NEW_B)).isEqualTo(count(plain, B));
      assertThat(
              links.metric(
                  "sluice_internode_unread_addresses_total{listener=\"ring\",reason=\"unparsed\"}"))
          .isZero();
    }
  }

  @Test
  void shouldReplaceThemInStreamsAndBackAgain() throws Exception {
    byte[] bytes = Vectors.bytes("stream/v12-streaming-rebuild-control-b2a.c2s.bin");
    byte[] answer = Vectors.bytes("stream/v12-streaming-rebuild-control-b2a.s2c.bin");
    try (FakeNode node = FakeNode.answering(answer);
        RunningLinks links = before(node, "same");
        FakeInitiator initiator = links.connect()) {
      initiator.send(bytes);
      assertThat(initiator.read(answer.length)).isEqualTo(answer);
      initiator.leave();
      FakeNode.Incoming link = node.next();
      byte[] there = Frames.join(link.initiate(), link.bodyToEnd());
      assertThat(there).hasSameSizeAs(bytes);
      assertThat(count(bytes, B)).isPositive();
      assertThat(count(there, B)).isZero();
      assertThat(count(there, NEW_B)).isEqualTo(count(bytes, B));
    }
  }

  @Test
  void shouldAnswerInTheNamesByWhichTheReceiverKnowsThem() throws Exception {
    // a calls itself .2 and b .13; b calls itself .3 and a .12.
    try (FakeNode a = FakeNode.answering(Frames.accept(12, 12));
        FakeNode b = FakeNode.answering(Frames.accept(12, 12));
        RunningLinks links =
            RunningLinks.start(
                """
                admin: {bind: 127.0.0.1:0}
                process: {eventLoops: 1, memory: 16MiB}
                listeners:
                  a: {bind: 127.0.0.1:0, node: 127.0.0.12:7000, protocol: internode, route: a}
                  b: {bind: 127.0.0.1:0, node: 127.0.0.13:7000, protocol: internode, route: b}
                routes:
                  a: [{pool: a, addresses: {from: {127.0.0.3: 127.0.0.13}, to: {127.0.0.12: 127.0.0.2}}}]
                  b:
                    - match: {verbs: [TRUNCATE_REQ]}
                      reject: not from here
                    - {pool: b, addresses: {from: {127.0.0.2: 127.0.0.12}, to: {127.0.0.13: 127.0.0.3}}}
                pools:
                  a: {protocol: internode, servers: ["%s"]}
                  b: {protocol: internode, servers: ["%s"]}
                """
                    .formatted(a.address(), b.address()));
        FakeInitiator fromB = new FakeInitiator(links.address("a"));
        FakeInitiator fromA = new FakeInitiator(links.address("b"))) {
      fromB.send(Frames.initiate(ConnectionType.URGENT, Framing.CRC, 12, 3)).read(12);
      fromA.send(Frames.initiate(ConnectionType.URGENT, Framing.CRC, 12, 2)).read(12);
      fromA.send(Frames.crc(true, Frames.message(301, Verb.TRUNCATE_REQ, 1, 100)));
      FakeNode.Incoming toA = a.next();
      Initiate initiate = new Initiate().wrap(Unpooled.wrappedBuffer(toA.initiate()), 0);
      assertThat(initiate.from()).isEqualTo(Frames.node(13));
      byte[] answer = Frames.crc(true, Frames.message(301, Verb.FAILURE_RSP, 0, 1));
      assertThat(Decoded.of(Framing.CRC, 12, toA.body(answer.length), 0).messages())
          .containsExactly("301 FAILURE_RSP 12 1");
      assertThat(a.hasNext()).isFalse();
    }
  }

  private static java.net.InetAddress ip(int... bytes) throws Exception {
    byte[] address = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      address[i] = (byte) bytes[i];
    }
    return java.net.InetAddress.getByAddress(address);
  }

  private static int count(byte[] bytes, byte[] wanted) {
    int found = 0;
    for (int at = 0; at + wanted.length <= bytes.length; at++) {
      if (java.util.Arrays.equals(bytes, at, at + wanted.length, wanted, 0, wanted.length)) {
        found++;
      }
    }
    return found;
  }
}
