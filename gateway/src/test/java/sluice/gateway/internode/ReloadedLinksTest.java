package sluice.gateway.internode;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.SocketException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.codecs.internode.ConnectionType;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.MessageHeader;
import sluice.codecs.internode.NodeAddress;
import sluice.config.Loader;
import sluice.names.Verb;
import sluice.testkit.Patience;

/** Links live for days: what a new configuration says counts for those that are open, too. */
class ReloadedLinksTest {
  private static final byte[] ACCEPT = Frames.accept(12, 12);
  private static final String REJECT =
      "{match: {verbs: [TRUNCATE_REQ, MUTATION_REQ]}, reject: not from here}, ";

  private static String yaml(String node, String rules, String addresses) {
    return """
    admin: {bind: 127.0.0.1:0}
    process: {eventLoops: 1, memory: 16MiB, drain: 1m}
    listeners:
      ring: {bind: 127.0.0.1:0, node: 127.0.0.14:7000, protocol: internode, route: ring}
    routes:
      ring: [%s{pool: node%s}]
    pools:
      node: {protocol: internode, servers: ["%s"]}
    """
        .formatted(rules, addresses, node);
  }

  private static void reload(RunningLinks links, String yaml) throws Exception {
    links
        .gateway()
        .follow(Loader.parse("test.yaml", yaml).configuration())
        .await(20, TimeUnit.SECONDS);
  }

  private static FakeInitiator open(RunningLinks links, Framing framing) throws Exception {
    FakeInitiator initiator =
        links.connect().send(Frames.initiate(ConnectionType.LARGE, framing, 12, 13));
    assertThat(initiator.read(12)).isEqualTo(ACCEPT);
    return initiator;
  }

  @ParameterizedTest
  @EnumSource(Framing.class)
  void shouldTakeMessagesOutOfAnOpenLinkByANewRule(Framing framing) throws Exception {
    byte[] kept = Frames.frame(framing, true, Frames.message(1, Verb.PING_REQ, 0, 500));
    byte[] truncate = Frames.frame(framing, true, Frames.message(2, Verb.TRUNCATE_REQ, 0, 500));
    try (FakeNode node = FakeNode.answering(ACCEPT);
        RunningLinks links = RunningLinks.start(yaml(node.address(), "", ""));
        FakeInitiator initiator = open(links, framing)) {
      FakeNode.Incoming link = node.next();
      initiator.send(Frames.join(kept, truncate));
      assertThat(link.body(kept.length + truncate.length)).isEqualTo(Frames.join(kept, truncate));
      reload(links, yaml(node.address(), REJECT, ""));
      initiator.send(Frames.join(kept, truncate, kept));
      assertThat(link.body(3 * kept.length + truncate.length))
          .isEqualTo(Frames.join(kept, truncate, kept, kept));
      reload(links, yaml(node.address(), "", ""));
      initiator.send(truncate);
      assertThat(link.body(3 * kept.length + 2 * truncate.length))
          .isEqualTo(Frames.join(kept, truncate, kept, kept, truncate));
    }
  }

  /** A message that began before the rule does not end in the middle, nor the next one pass. */
  @ParameterizedTest
  @EnumSource(Framing.class)
  void shouldGoOverWhereTheMessageUnderWayEnds(Framing framing) throws Exception {
    byte[] large = large(framing, Frames.message(3, Verb.MUTATION_REQ, 0, 200_000));
    byte[] kept = large(framing, Frames.message(4, Verb.READ_RSP, 0, 100_000));
    try (FakeNode node = FakeNode.answering(ACCEPT);
        RunningLinks links = RunningLinks.start(yaml(node.address(), "", ""));
        FakeInitiator initiator = open(links, framing)) {
      FakeNode.Incoming link = node.next();
      int cut = 1 + large.length / 2;
      initiator.send(large, 0, cut);
      int whole = Frames.wholeFrames(framing, large, cut);
      assertThat(link.body(whole)).isEqualTo(Arrays.copyOf(large, whole));
      reload(links, yaml(node.address(), REJECT, ""));
      initiator.send(Frames.join(Arrays.copyOfRange(large, cut, large.length), large, kept, large));
      initiator.send(kept);
      byte[] expected = Frames.join(large, kept, kept);
      assertThat(link.body(expected.length)).isEqualTo(expected);
      initiator.leave();
      assertThat(link.bodyToEnd()).isEqualTo(expected);
    }
  }

  private static byte[] large(Framing framing, byte[] message) {
    byte[] all = new byte[0];
    for (int at = 0; at < message.length; at += 32_768) {
      byte[] piece = Arrays.copyOfRange(message, at, Math.min(message.length, at + 32_768));
      all = Frames.join(all, Frames.frame(framing, false, piece));
    }
    return all;
  }

  private static byte[] passedOn(int to) {
    ByteBuf param = Unpooled.buffer();
    NodeAddress.write(param, Frames.node(to));
    return Frames.message(
        5, Verb.MUTATION_REQ, 0, 100, MessageHeader.RESPOND_TO, Frames.bytes(param));
  }

  @ParameterizedTest
  @EnumSource(Framing.class)
  void shouldReplaceAddressesOnAnOpenLinkAsTheNewConfigurationSays(Framing framing)
      throws Exception {
    String addresses = ", addresses: {from: {127.0.0.24: 127.0.0.25}}";
    byte[] before = Frames.frame(framing, true, passedOn(24));
    try (FakeNode node = FakeNode.answering(ACCEPT);
        RunningLinks links = RunningLinks.start(yaml(node.address(), "", ""));
        FakeInitiator initiator = open(links, framing)) {
      FakeNode.Incoming link = node.next();
      initiator.send(before);
      assertThat(link.body(before.length)).isEqualTo(before);
      reload(links, yaml(node.address(), "", addresses));
      initiator.send(before);
      byte[] both = link.body(2 * before.length);
      byte[] after = Frames.plain(framing, Arrays.copyOfRange(both, before.length, both.length));
      assertThat(after).isEqualTo(passedOnLike(passedOn(25), after));
    }
  }

  /** The time in a message's header is that of when it was made. */
  private static byte[] passedOnLike(byte[] message, byte[] other) {
    System.arraycopy(other, 1, message, 1, Integer.BYTES);
    return message;
  }

  @Test
  void shouldEndALinkWhoseSenderTheServerWouldKnowByAnotherAddress() throws Exception {
    String addresses = ", addresses: {from: {127.0.0.13: 127.0.0.25}}";
    try (FakeNode node = FakeNode.answering(ACCEPT);
        RunningLinks links = RunningLinks.start(yaml(node.address(), "", ""));
        FakeInitiator initiator = open(links, Framing.CRC)) {
      FakeNode.Incoming link = node.next();
      reload(links, yaml(node.address(), "", addresses));
      assertThat(initiator.readToEnd(Patience.LIMIT)).isEmpty();
      assertThat(link.bodyToEnd()).isEmpty();
      try (FakeInitiator again = open(links, Framing.CRC)) {
        assertThat(LinkTest.initiate(node.next().initiate()).from()).isEqualTo(Frames.node(25));
        again.leave();
      }
    }
  }

  /** Behind the message under way, and not before. */
  @ParameterizedTest
  @EnumSource(Framing.class)
  void shouldEndALinkWhoseListenerLeadsToAnotherServer(Framing framing) throws Exception {
    byte[] large = large(framing, Frames.message(3, Verb.MUTATION_REQ, 0, 200_000));
    try (FakeNode node = FakeNode.answering(ACCEPT);
        FakeNode other = FakeNode.answering(ACCEPT);
        RunningLinks links = RunningLinks.start(yaml(node.address(), "", ""));
        FakeInitiator busy = open(links, framing);
        FakeInitiator idle = open(links, framing)) {
      FakeNode.Incoming link = node.next();
      busy.send(large, 0, large.length / 2);
      assertThat(link.body(1)).isNotEmpty();
      reload(links, yaml(other.address(), "", ""));
      assertThat(idle.readToEnd(Patience.LIMIT)).isEmpty();
      busy.send(large, large.length / 2, large.length);
      assertThat(link.bodyToEnd()).isEqualTo(large);
      assertThat(busy.readToEnd(Patience.LIMIT)).isEmpty();
      try (FakeInitiator again = open(links, framing)) {
        other.next();
        again.leave();
      }
    }
  }

  @Test
  void shouldLeaveStreamsToTheirEnd() throws Exception {
    byte[] stream =
        sluice.codecs.internode.Vectors.bytes("stream/v12-streaming-rebuild-control-b2a.c2s.bin");
    try (FakeNode node = FakeNode.answering(ACCEPT);
        FakeNode other = FakeNode.answering(ACCEPT);
        RunningLinks links = RunningLinks.start(yaml(node.address(), "", ""));
        FakeInitiator idle = open(links, Framing.CRC);
        FakeInitiator streaming = links.connect()) {
      streaming.send(stream, 0, 19);
      assertThat(streaming.read(12)).isEqualTo(ACCEPT);
      node.next();
      FakeNode.Incoming link = node.next();
      reload(links, yaml(other.address(), "", ""));
      assertThat(idle.readToEnd(Patience.LIMIT)).isEmpty(); // it has been looked at by now
      streaming.send(stream, 19, stream.length);
      streaming.leave();
      assertThat(link.bodyToEnd()).isEqualTo(Arrays.copyOfRange(stream, 19, stream.length));
    }
  }

  @ParameterizedTest
  @EnumSource(Framing.class)
  void shouldPassAllOfTheMessageUnderWayBeforeADrainedLinkEnds(Framing framing) throws Exception {
    byte[] large = large(framing, Frames.message(3, Verb.MUTATION_REQ, 0, 200_000));
    byte[] frame = Frames.frame(framing, true, Frames.message(4, Verb.PING_REQ, 0, 2_000));
    try (FakeNode node = FakeNode.answering(ACCEPT);
        RunningLinks links = RunningLinks.start(yaml(node.address(), "", ""));
        FakeInitiator first = open(links, framing);
        FakeInitiator second = open(links, framing);
        FakeInitiator idle = open(links, framing)) {
      FakeNode.Incoming toLarge = node.next();
      FakeNode.Incoming toSmall = node.next();
      second.send(frame, 0, frame.length / 2); // first, so that nothing else is buffered
      assertThat(Patience.soon(() -> links.gateway().bufferedBytes() >= frame.length / 2)).isTrue();
      first.send(large, 0, large.length / 2);
      assertThat(toLarge.body(1)).isNotEmpty();
      var stopped = links.gateway().drain();
      assertThat(idle.readToEnd(Patience.LIMIT)).isEmpty();
      byte[] rest = Arrays.copyOfRange(large, large.length / 2, large.length);
      try {
        first.send(Frames.join(rest, frame));
      } catch (SocketException e) {
        // the link has ended behind the message, while the frame was still being sent
      }
      second.send(frame, frame.length / 2, frame.length);
      assertThat(toLarge.bodyToEnd()).isEqualTo(large);
      assertThat(toSmall.bodyToEnd()).isEqualTo(frame);
      assertThat(Patience.soon(stopped::isComplete)).isTrue();
    }
  }
}
