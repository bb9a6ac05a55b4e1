package sluice.gateway.internode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import sluice.codecs.internode.ConnectionType;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.Vectors;
import sluice.gateway.metrics.LinkType;
import sluice.names.Verb;

/** What a link does with frames, without a socket. */
class LinkFramesTest {
  private static final byte[] PING = Frames.crc(true, Frames.message(1, Verb.PING_REQ, 0, 600));
  private static final byte[] TRUNCATE =
      Frames.crc(true, Frames.message(2, Verb.TRUNCATE_REQ, 0, 600));

  private final LinkRegistry registry =
      new LinkRegistry(node -> null, (listener, peer) -> false, name -> null);
  private final ScriptedLink link = new ScriptedLink();
  private LinkLoop links;
  private LinkHandshake handshake;
  private LinkFrames frames;

  @BeforeEach
  void begin() {
    frames = frames(link, "");
  }

  private LinkFrames frames(ScriptedLink of, String addresses) {
    return frames(of, Framing.CRC, Framing.CRC, addresses);
  }

  private LinkFrames frames(ScriptedLink of, Framing framing, Framing to, String addresses) {
    handshake = new LinkHandshake(of.loop(), true);
    ByteBuf initiate = of.read(Frames.initiate(ConnectionType.LARGE, framing, 12, 13));
    assertThat(handshake.readInitiate(initiate)).isTrue();
    initiate.release();
    handshake.takeInitiate(ScriptedLink.upstream("127.0.0.2:7000", to), null).release();
    ByteBuf accept = of.read(Frames.accept(12, 12));
    assertThat(handshake.readAccept(accept)).isTrue();
    accept.release();
    links = of.links();
    LinkMessages messages =
        new LinkMessages(
            links,
            new Answers(links, registry),
            of.listenerView("", addresses),
            handshake,
            of::takeFromInitiator);
    LinkRegistration registration =
        new LinkRegistration(registry, new UnusedReturnLink(LinkType.LARGE), handshake.from());
    registration.leadTo(Frames.node(12));
    return new LinkFrames(
        of, of.loop(), 0, of.metrics(), messages, registration, of::takeFromServer);
  }

  @AfterEach
  void close() {
    frames.close();
    handshake.release();
    link.close();
    link.loop().close();
  }

  @Test
  void shouldHoldTheHalfOfAFrameAndPassItWhole() {
    for (int cut = 1; cut < PING.length; cut += 7) {
      link.toServer.clear();
      frames.fromInitiator(link.read(Arrays.copyOf(PING, cut)));
      assertThat(link.sentToServer()).isEmpty();
      assertThat(frames.heldBytes()).isEqualTo(cut);
      frames.fromInitiator(link.read(Arrays.copyOfRange(PING, cut, PING.length)));
      assertThat(link.sentToServer()).isEqualTo(PING);
      assertThat(frames.heldBytes()).isZero();
    }
  }

  @Test
  void shouldTellWhatItHoldsFromWhatItHeldBefore() {
    frames.fromInitiator(link.read(Arrays.copyOf(PING, 10)));
    long first = frames.heldUnit();
    frames.fromInitiator(link.read(Arrays.copyOfRange(PING, 10, PING.length - 1)));
    assertThat(frames.heldUnit()).isEqualTo(first);
    byte[] behind = Arrays.copyOf(PING, 10);
    frames.fromInitiator(link.read(Frames.join(new byte[] {PING[PING.length - 1]}, behind)));
    assertThat(frames.heldUnit()).isNotEqualTo(first);
  }

  /** Frames between its parts change nothing. */
  @Test
  void shouldTellOneLargeMessageThatItHoldsFromTheNext() {
    frames.close();
    handshake.release();
    frames = frames(link, ", addresses: {from: {192.0.2.1: 192.0.2.2}}");
    byte[] message = Frames.message(1, Verb.GOSSIP_DIGEST_ACK, 0, 5_000);
    byte[] half = Frames.crc(false, Arrays.copyOf(message, 3_000));
    byte[] rest = Frames.crc(false, Arrays.copyOfRange(message, 3_000, message.length));
    frames.fromInitiator(link.read(half));
    long first = frames.heldUnit();
    frames.fromInitiator(link.read(PING));
    assertThat(link.sentToServer()).isEqualTo(PING);
    assertThat(frames.heldBytes()).isEqualTo(3_000);
    assertThat(frames.heldUnit()).isEqualTo(first);
    frames.fromInitiator(link.read(Frames.join(rest, half)));
    assertThat(frames.heldBytes()).isEqualTo(3_000);
    assertThat(frames.heldUnit()).isNotEqualTo(first);
  }

  @Test
  void shouldTellWhatAStreamHoldsFromWhatItHeldBefore() {
    LinkAddresses addresses =
        link.listenerView("", ", addresses: {from: {192.0.2.1: 192.0.2.2}}").addresses();
    LinkStream stream =
        new LinkStream(addresses, 12, link::takeFromInitiator, link::takeFromServer, () -> {});
    byte[] bytes = Vectors.bytes("stream/v12-streaming-rebuild-control-b2a.c2s.bin");
    byte[] messages = Arrays.copyOfRange(bytes, 19, bytes.length); // behind the Initiate
    stream.fromInitiator(link.read(Arrays.copyOf(messages, 20)));
    assertThat(stream.heldBytes()).isEqualTo(20);
    assertThat(stream.holdsMoreOfServer()).isFalse();
    long first = stream.heldUnit();
    stream.fromInitiator(link.read(Arrays.copyOfRange(messages, 20, messages.length)));
    assertThat(stream.heldUnit()).isNotEqualTo(first);
    stream.fromServer(link.read(Arrays.copyOf(messages, 20)));
    assertThat(stream.holdsMoreOfServer()).isTrue();
    stream.close();
  }

  @Test
  void shouldFollowANewRuleBehindTheFrameUnderWay() {
    frames.fromInitiator(link.read(Arrays.copyOf(TRUNCATE, 10)));
    frames.follow(link.listenerView(Verb.TRUNCATE_REQ));
    frames.fromInitiator(link.read(Arrays.copyOfRange(TRUNCATE, 10, TRUNCATE.length)));
    frames.fromInitiator(link.read(Frames.join(TRUNCATE, PING)));
    assertThat(link.sentToServer()).isEqualTo(PING);
  }

  /** Until it ends, messages in self-contained frames pass by the former rules. */
  @Test
  void shouldNotWaitForEverForTheEndOfAMessageBeforeANewRuleApplies() {
    byte[] message = Frames.message(3, Verb.READ_RSP, 0, 900);
    frames.fromInitiator(link.read(Frames.crc(false, Arrays.copyOf(message, 500))));
    frames.sweep();
    frames.follow(link.listenerView(Verb.TRUNCATE_REQ));
    frames.fromInitiator(link.read(TRUNCATE));
    assertThat(link.events).isEmpty();
    link.pass(1);
    frames.follow(link.listenerView(Verb.MUTATION_REQ)); // does not begin the time anew
    frames.sweep();
    assertThat(link.events)
        .containsExactly("fail: the configuration has changed, and a message was still incomplete");
  }

  @Test
  void shouldNotFailOverANewRuleOnceItApplies() {
    byte[] message = Frames.message(3, Verb.READ_RSP, 0, 900);
    frames.fromInitiator(link.read(Frames.crc(false, Arrays.copyOf(message, 500))));
    frames.follow(link.listenerView(Verb.TRUNCATE_REQ));
    byte[] rest = Frames.crc(false, Arrays.copyOfRange(message, 500, message.length));
    frames.fromInitiator(link.read(Frames.join(rest, TRUNCATE)));
    link.pass(1);
    frames.sweep();
    assertThat(link.events).isEmpty();
    assertThat(link.sentToServer()).endsWith(rest);
  }

  @Test
  void shouldLeaveBetweenTwoMessagesOnly() {
    byte[] message = Frames.message(3, Verb.READ_RSP, 0, 900);
    byte[] half = Frames.crc(false, Arrays.copyOf(message, 500));
    byte[] rest = Frames.crc(false, Arrays.copyOfRange(message, 500, message.length));
    frames.fromInitiator(link.read(half));
    frames.leave();
    assertThat(frames.hasLeft(Long.MAX_VALUE)).isFalse();
    frames.fromInitiator(link.read(Frames.join(rest, PING)));
    assertThat(link.events).containsExactly("close");
    assertThat(link.sentToServer()).isEqualTo(Frames.join(half, rest));
  }

  @Test
  void shouldFailOverAHeaderThatIsCorrupt() {
    byte[] corrupt = PING.clone();
    corrupt[0] ^= 1;
    frames.fromInitiator(link.read(Frames.join(PING, corrupt)));
    assertThat(link.events).singleElement().asString().startsWith("fail: ");
    assertThat(link.sentToServer()).isEqualTo(PING);
  }

  /** Its frame may have left in part, and would otherwise leave again. */
  @Test
  void shouldReadNothingMoreAfterAnErrorOfTheProgram() {
    link.fails = true;
    assertThatThrownBy(() -> frames.fromInitiator(link.read(PING))).hasMessage("of the test");
    assertThat(frames.heldBytes()).isZero();
    frames.fromInitiator(link.read(PING));
    assertThat(link.sentToServer()).isEmpty();
  }

  @Test
  void shouldPassNothingOfAStreamBehindBytesThatAreMissing() {
    LinkAddresses addresses =
        link.listenerView("", ", addresses: {from: {192.0.2.1: 192.0.2.2}}").addresses();
    LinkStream stream =
        new LinkStream(addresses, 12, link::takeFromInitiator, link::takeFromServer, () -> {});
    byte[] bytes = Vectors.bytes("stream/v12-streaming-rebuild-control-b2a.c2s.bin");
    byte[] messages = Arrays.copyOfRange(bytes, 19, bytes.length); // behind the Initiate
    link.fails = true;
    assertThatThrownBy(() -> stream.fromInitiator(link.read(messages))).hasMessage("of the test");
    stream.fromInitiator(link.read(messages));
    assertThat(link.sentToServer()).isEmpty();
    stream.close();
  }

  @Test
  void shouldNotHoldHalfAMessageThatMemoryHasNoRoomFor() {
    try (ScriptedLink small = new ScriptedLink(1 << 20)) {
      LinkHandshake outer = handshake;
      LinkFrames rewritten = frames(small, ", addresses: {from: {192.0.2.1: 192.0.2.2}}");
      byte[] message = Frames.message(1, Verb.GOSSIP_DIGEST_ACK, 0, 1 << 20);
      small.loop().buffered(1 << 20);
      for (int at = 0; small.isOpen() && at < message.length; at += 100_000) {
        byte[] part = Arrays.copyOfRange(message, at, Math.min(message.length, at + 100_000));
        rewritten.fromInitiator(small.read(Frames.crc(false, part)));
      }
      assertThat(small.events).singleElement().asString().contains("process.memory is used up");
      rewritten.close();
      assertThat(rewritten.heldBytes()).isZero();
      small.loop().buffered(-(1 << 20));
      handshake.release();
      handshake = outer;
    }
  }

  /** A compressed frame of a message behind another one, whose verb is rejected. */
  private byte[] compressedBehindARejected(byte[] message) {
    frames.close();
    handshake.release();
    frames = frames(link, Framing.LZ4, Framing.LZ4, "");
    frames.follow(link.listenerView(Verb.TRUNCATE_REQ));
    byte[] truncate = Frames.message(2, Verb.TRUNCATE_REQ, 0, 600);
    return Frames.frame(Framing.LZ4, true, Frames.join(truncate, message));
  }

  /** They may become hundreds of times larger, and the event loop has other sockets. */
  @Test
  void shouldEndItsTurnWhereCompressedFramesTakeLong() {
    byte[] ping = Frames.message(1, Verb.PING_REQ, 0, 600);
    byte[] both = compressedBehindARejected(ping);
    link.takesMillis = 10;
    frames.fromInitiator(link.read(Frames.join(both, both, both)));
    byte[] one = link.sentToServer();
    assertThat(Frames.plain(Framing.LZ4, one)).isEqualTo(ping);
    assertThat(Frames.wholeFrames(Framing.LZ4, one, one.length - 1)).isZero();
    frames.fromInitiator(link.read(both));
    assertThat(link.sentToServer()).as("what comes meanwhile waits").isEqualTo(one);
    assertThat(frames.heldBytes()).isEqualTo(3L * both.length);
    frames.fromInitiator(Unpooled.EMPTY_BUFFER);
    assertThat(link.sentToServer()).isEqualTo(Frames.join(one, one));
    link.takesMillis = 1;
    frames.fromInitiator(Unpooled.EMPTY_BUFFER);
    assertThat(link.sentToServer()).isEqualTo(Frames.join(one, one, one, one));
    assertThat(link.events).containsExactly("end turn", "end turn", "end turn");
    assertThat(frames.heldBytes()).isZero();
  }

  /** Other links that are ready to read then begin behind the other sockets. */
  @Test
  void shouldCountTheTimeOfFramesThatMayTakeLongForAllLinks() {
    link.takesMillis = 60;
    frames.fromInitiator(link.read(PING));
    assertThat(frames.mayTakeLong()).isFalse();
    assertThat(links.areOthersDue()).as("bytes pass as they are").isFalse();
    frames.close();
    handshake.release();
    link.pass(1);
    frames = frames(link, Framing.LZ4, Framing.CRC, "");
    byte[] ping = Frames.message(1, Verb.PING_REQ, 0, 600);
    frames.fromInitiator(link.read(Frames.frame(Framing.LZ4, true, ping)));
    assertThat(frames.mayTakeLong()).isTrue();
    assertThat(links.areOthersDue()).isTrue();
    link.pass(100);
    assertThat(links.areOthersDue()).isFalse();
  }

  /** As TLS hands out records: each may be a frame, and then nothing waits behind it. */
  @Test
  void shouldEndItsTurnWhereReadsTogetherTakeLong() {
    byte[] both = compressedBehindARejected(Frames.message(1, Verb.PING_REQ, 0, 600));
    link.takesMillis = 3;
    frames.fromInitiator(link.read(both));
    assertThat(link.events).isEmpty();
    frames.fromInitiator(link.read(both));
    assertThat(link.events).containsExactly("end turn");
    frames.fromInitiator(Unpooled.EMPTY_BUFFER);
    frames.fromInitiator(link.read(both));
    link.pass(2); // its event loop handles other sockets
    frames.fromInitiator(link.read(both));
    assertThat(link.events).containsExactly("end turn");
    assertThat(frames.heldBytes()).isZero();
  }

  /** The rest waits until what they have become has left. */
  @Test
  void shouldEndItsTurnWhereCompressedFramesHaveBecomeMuchAndMemoryIsTight() {
    frames.close();
    handshake.release();
    frames = frames(link, Framing.LZ4, Framing.CRC, "");
    byte[] message = Frames.message(1, Verb.READ_RSP, 0, 130_000);
    byte[] one = Frames.frame(Framing.LZ4, true, message);
    byte[] six = Frames.join(one, one, one, one, one, one);
    int length = Frames.crc(true, message).length;
    frames.fromInitiator(link.read(six));
    assertThat(link.sentToServer()).hasSize(6 * length);
    assertThat(link.events).isEmpty();
    link.toServer.clear();
    link.loop().buffered(64 << 20);
    frames.fromInitiator(link.read(six));
    assertThat(link.events).containsExactly("end turn");
    assertThat(link.sentToServer().length)
        .isBetween(LinkSide.MOST_GROWTH, LinkSide.MOST_GROWTH + 3 * length);
    frames.fromInitiator(Unpooled.EMPTY_BUFFER);
    assertThat(link.sentToServer()).hasSize(6 * length);
    link.loop().buffered(-(64 << 20));
  }

  @Test
  void shouldBeFoundByAnswersUntilItCloses() {
    assertThat(registry.find(handshake.from(), Frames.node(12))).isNotNull();
    frames.close();
    assertThat(registry.find(handshake.from(), Frames.node(12))).isNull();
    frames.fromInitiator(link.read(PING));
    assertThat(link.sentToServer()).isEmpty();
  }
}
