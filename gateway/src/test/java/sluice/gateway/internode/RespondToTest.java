package sluice.gateway.internode;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.codecs.internode.ConnectionType;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.Initiate;
import sluice.codecs.internode.MessageHeader;
import sluice.codecs.internode.NodeAddress;
import sluice.names.Verb;
import sluice.testkit.Patience;

/**
 * Requests that a node passes on for another one, and that a rule takes out: a passes one on to b,
 * whose answer is for c.
 */
class RespondToTest {
  private static final byte[] ACCEPT = Frames.accept(12, 12);

  /** A listener before b and one before c, which their nodes are known by as .13 and .14. */
  private static RunningLinks between(FakeNode b, FakeNode c, String addresses) {
    return between(b, c, addresses, "");
  }

  private static RunningLinks between(FakeNode b, FakeNode c, String addresses, String peers) {
    return RunningLinks.start(
        """
        admin: {bind: 127.0.0.1:0}
        process: {eventLoops: 2, memory: 16MiB}
        listeners:
          b: {bind: 127.0.0.1:0, node: 127.0.0.13:7000, protocol: internode, route: b%s}
          c: {bind: 127.0.0.1:0, node: 127.0.0.14:7000, protocol: internode, route: c}
        routes:
          b: [{match: {verbs: [MUTATION_REQ]}, reject: not from here}, {pool: b%s}]
          c: [{pool: c}]
        pools:
          b: {protocol: internode, servers: ["%s"]}
          c: {protocol: internode, servers: ["%s"]}
        """
            .formatted(peers, addresses, b.address(), c.address()));
  }

  private static FakeInitiator open(InetSocketAddress listener, int last) throws Exception {
    FakeInitiator initiator = new FakeInitiator(listener);
    initiator.send(Frames.initiate(ConnectionType.SMALL, Framing.CRC, 12, last)).read(12);
    return initiator;
  }

  private static byte[] passedOn(long id, int payloadLength, byte[] respondTo) {
    return Frames.message(
        id,
        Verb.MUTATION_REQ,
        MessageHeader.CALL_BACK_ON_FAILURE,
        payloadLength,
        MessageHeader.RESPOND_TO,
        respondTo);
  }

  private static byte[] param(InetSocketAddress address) {
    ByteBuf out = Unpooled.buffer();
    NodeAddress.write(out, address);
    return Frames.bytes(out);
  }

  private static void assertAnswered(FakeNode.Incoming link, int from, long id) throws Exception {
    assertThat(LinkTest.initiate(link.initiate()).from()).isEqualTo(Frames.node(from));
    byte[] answer = Frames.crc(true, Frames.message(id, Verb.FAILURE_RSP, 0, 1));
    assertThat(Decoded.of(Framing.CRC, 12, link.body(answer.length), 0).messages())
        .containsExactly(id + " FAILURE_RSP 12 1");
  }

  private static double answers(RunningLinks links, String outcome) {
    return links.metric(
        "sluice_internode_failure_responses_total{listener=\"b\",outcome=\"%s\"}"
            .formatted(outcome));
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 100_000})
  void shouldAnswerOnTheLinkThatLeadsToTheNodeThatTheRequestNames(int length) throws Exception {
    byte[] request = passedOn(301, length, param(Frames.node(14)));
    int cut = Math.min(request.length, 34_806);
    try (FakeNode b = FakeNode.answering(ACCEPT);
        FakeNode c = FakeNode.answering(ACCEPT);
        RunningLinks links = between(b, c, "");
        FakeInitiator fromB = open(links.address("c"), 13);
        FakeInitiator fromA = open(links.address("b"), 12)) {
      FakeNode.Incoming toC = c.next();
      for (int at = 0; at < request.length; at += cut) {
        byte[] piece = Arrays.copyOfRange(request, at, Math.min(request.length, at + cut));
        fromA.send(Frames.crc(cut == request.length, piece));
      }
      assertAnswered(toC, 13, 301);
      assertThat(c.hasNext()).isFalse();
      assertThat(answers(links, "sent")).isEqualTo(1);
      fromB.leave();
    }
  }

  @Test
  void shouldOpenAConnectionToTheNodeThatTheRequestNames() throws Exception {
    try (FakeNode b = FakeNode.answering(ACCEPT);
        FakeNode c = FakeNode.answering(ACCEPT);
        RunningLinks links = between(b, c, "");
        FakeInitiator fromA = open(links.address("b"), 12)) {
      fromA.send(Frames.crc(true, passedOn(301, 100, param(Frames.node(14)))));
      assertAnswered(c.next(), 13, 301);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ", peers: [\"%s\"]|",
        "|, addresses: {from: {\"%s\": \"192.0.2.1:7000\"}}",
        "|, addresses: {to: {\"%s\": \"192.0.2.1:7000\"}}"
      })
  void shouldConnectToTheAddressThatTheRequestNamesIfTheConfigurationKnowsIt(String keys)
      throws Exception {
    try (FakeNode b = FakeNode.answering(ACCEPT);
        FakeNode c = FakeNode.answering(ACCEPT);
        FakeNode other = FakeNode.answering(ACCEPT)) {
      String[] known = keys.replace("%s", other.address()).split("\\|", -1);
      try (RunningLinks links = between(b, c, known[1], known[0]);
          FakeInitiator fromA = open(links.address("b"), 12)) {
        fromA.send(Frames.crc(true, passedOn(301, 100, param(address(other)))));
        assertAnswered(other.next(), 13, 301);
        assertThat(c.hasNext()).isFalse();
      }
    }
  }

  private static InetSocketAddress address(FakeNode node) {
    int port = Integer.parseInt(node.address().substring(node.address().indexOf(':') + 1));
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  /** Whoever sends a request could have the gateway connect to anything that it can reach. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "|",
        ", peers: [127.0.0.1]|", // at the port of b, 7000
        ", peers: [127.0.0.0/8]|",
        ", peers: [\"127.0.0.1:1\"]|",
        "|, addresses: {from: {127.0.0.1: 192.0.2.1}}"
      })
  void shouldNotConnectToAnAddressThatTheConfigurationDoesNotKnow(String keys) throws Exception {
    String[] known = keys.split("\\|", -1);
    try (FakeNode b = FakeNode.answering(ACCEPT);
        FakeNode c = FakeNode.answering(ACCEPT);
        FakeNode other = FakeNode.answering(ACCEPT);
        RunningLinks links = between(b, c, known[1], known[0]);
        FakeInitiator fromA = open(links.address("b"), 12);
        FakeInitiator fromOther = new FakeInitiator(links.address("b"))) {
      fromA.send(Frames.crc(true, passedOn(301, 100, param(address(other)))));
      fromOther.send(initiate(address(other))).read(12);
      fromOther.send(Frames.crc(true, Frames.message(302, Verb.MUTATION_REQ, 1, 100)));
      assertThat(Patience.soon(() -> answers(links, "unsent") == 2)).isTrue();
      assertThat(other.hasNext()).isFalse();
    }
  }

  private static byte[] initiate(InetSocketAddress from) {
    ByteBuf out = Unpooled.buffer();
    Initiate.writeMessaging(out, ConnectionType.SMALL, Framing.CRC, 12, 12, 12, from);
    return Frames.bytes(out);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldReplaceTheAddressThatTheRequestNamesLikeTheSendersOwn(boolean leadsBack)
      throws Exception {
    // a knows c as .24; b calls itself .3 and knows c as .14
    String addresses = ", addresses: {from: {127.0.0.24: 127.0.0.14}, to: {127.0.0.13: 127.0.0.3}}";
    try (FakeNode b = FakeNode.answering(ACCEPT);
        FakeNode c = FakeNode.answering(ACCEPT);
        RunningLinks links = between(b, c, addresses);
        FakeInitiator fromA = open(links.address("b"), 12);
        FakeInitiator fromB = leadsBack ? open(links.address("c"), 3) : null) {
      FakeNode.Incoming toC = leadsBack ? c.next() : null;
      fromA.send(Frames.crc(true, passedOn(301, 100, param(Frames.node(24)))));
      if (leadsBack) {
        assertAnswered(toC, 3, 301);
        fromB.leave();
      } else {
        assertAnswered(c.next(), 13, 301);
      }
      assertThat(c.hasNext()).isFalse();
    }
  }

  @Test
  void shouldAnswerNobodyIfWhatTheRequestNamesIsNoAddress() throws Exception {
    byte[] wrongLength = param(Frames.node(14));
    wrongLength[0] = 18;
    try (FakeNode b = FakeNode.answering(ACCEPT);
        FakeNode c = FakeNode.answering(ACCEPT);
        RunningLinks links = between(b, c, "");
        FakeInitiator fromA = open(links.address("b"), 14)) {
      byte[] kept = Frames.crc(true, Frames.message(9, Verb.PING_REQ, 0, 10));
      fromA.send(Frames.crc(true, passedOn(301, 100, wrongLength)));
      fromA.send(Frames.crc(true, passedOn(302, 100, new byte[3])));
      fromA.send(Frames.crc(true, passedOn(303, 100, new byte[0])));
      fromA.send(kept);
      assertThat(b.next().body(kept.length)).isEqualTo(kept);
      assertThat(answers(links, "unsent")).isEqualTo(3);
      assertThat(answers(links, "sent")).isZero();
      assertThat(c.hasNext()).isFalse();
    }
  }
}
