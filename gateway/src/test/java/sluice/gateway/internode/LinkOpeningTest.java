package sluice.gateway.internode;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.codecs.internode.Accept;
import sluice.codecs.internode.ConnectionType;
import sluice.codecs.internode.Vectors;
import sluice.gateway.metrics.LinkOutcome;

/** How links begin, without a socket. */
class LinkOpeningTest {
  private static final byte[] INITIATE = Frames.initiate(ConnectionType.LARGE);
  private static final byte[] ACCEPT = Frames.accept(12, 12);
  private static final byte[] STREAM =
      Vectors.bytes("stream/v12-streaming-rebuild-control-b2a.c2s.bin");
  private static final int STREAM_INITIATE = 19;

  private final ScriptedLink link = new ScriptedLink();
  private LinkOpening opening = opening("", "");

  private LinkOpening opening(String keys, String addresses) {
    LinkHandshake handshake = new LinkHandshake(link.loop(), true);
    ListenerFollower follower = new ListenerFollower(link.listenerView(keys, addresses));
    return new LinkOpening(link.loop(), link, follower, handshake);
  }

  private void reopen(String keys, String addresses) {
    opening.close();
    opening = opening(keys, addresses);
  }

  @AfterEach
  void close() {
    opening.close();
    link.close();
  }

  /** What comes behind the Initiate in one read does not keep the buffer of that read. */
  @Test
  void shouldCopyAFewBytesThatComeTooEarly() {
    ByteBuf read = Unpooled.directBuffer(65536, 65536).writeBytes(INITIATE).writeByte(1);
    opening.fromInitiator(read);
    assertThat(opening.heldBytes()).isEqualTo(1);
    assertThat(read.refCnt()).isZero();
  }

  private void fromServer(byte[] bytes) {
    ByteBuf read = link.read(bytes);
    opening.fromServer(read);
    read.release();
  }

  @Test
  void shouldPassMessagesWhereverBothHalvesAreCut() {
    for (int cut = 1; cut < INITIATE.length; cut++) {
      try (ScriptedLink cutLink = new ScriptedLink()) {
        LinkOpening cutOpening =
            new LinkOpening(
                cutLink.loop(),
                cutLink,
                new ListenerFollower(cutLink.listenerView()),
                new LinkHandshake(cutLink.loop(), true));
        cutOpening.fromInitiator(cutLink.read(Arrays.copyOf(INITIATE, cut)));
        assertThat(cutLink.events).isEmpty();
        cutOpening.fromInitiator(cutLink.read(Arrays.copyOfRange(INITIATE, cut, INITIATE.length)));
        assertThat(cutLink.events).containsExactly("connect LARGE");
        cutLink.connecting.complete(null);
        assertThat(cutLink.sentToServer()).isEqualTo(INITIATE);
        int half = cut % Accept.LENGTH;
        ByteBuf read = cutLink.read(ACCEPT);
        cutOpening.fromServer(read.slice(0, half));
        cutOpening.fromServer(read.slice(half, Accept.LENGTH - half));
        read.release();
        assertThat(cutLink.events)
            .containsExactly("connect LARGE", "connected", "to server", "to initiator", "messages");
        assertThat(cutLink.sentToInitiator()).isEqualTo(ACCEPT);
        cutOpening.close();
      }
    }
  }

  @Test
  void shouldHoldWhatComesTooEarlyAndHandItOutInOrder() {
    opening.fromInitiator(link.read(Frames.join(INITIATE, new byte[] {1, 2})));
    opening.fromInitiator(link.read(new byte[] {3}));
    assertThat(opening.heldBytes()).isEqualTo(3);
    opening.handOut(new LinkBytes(link::takeFromInitiator, link::takeFromServer));
    assertThat(link.sentToServer()).containsExactly(1, 2, 3);
    assertThat(opening.heldBytes()).isZero();
  }

  /** In LZ4 frames it may become hundreds of times as much. */
  @Test
  void shouldRefuseMessagesThatComeTooEarlyIfMemoryIsTight() {
    opening.fromInitiator(link.read(Frames.join(INITIATE, new byte[LinkSide.PORTION + 1])));
    link.connecting.complete(null);
    link.loop().buffered(60 << 20);
    fromServer(ACCEPT);
    assertThat(link.events).last().asString().startsWith("fail: 2049 bytes arrived before");
    assertThat(link.sentToInitiator()).isEmpty();
    opening.serverClosed();
    assertThat(link.events).last().asString().startsWith("fail: ");
  }

  @Test
  void shouldPassAStreamBeforeItsServerAnswers() {
    opening.fromInitiator(link.read(Arrays.copyOf(STREAM, STREAM_INITIATE)));
    link.connecting.complete(null);
    assertThat(link.events).containsExactly("connect STREAMING", "connected", "to server", "bytes");
    opening.serverClosed();
    assertThat(link.events).last().asString().contains("instead of answering");
  }

  @Test
  void shouldNotMissAnAnswerThatHasCome() {
    opening.fromInitiator(link.read(Arrays.copyOf(STREAM, STREAM_INITIATE)));
    link.connecting.complete(null);
    opening.heardServer();
    opening.serverClosed();
    assertThat(link.events).last().isEqualTo("bytes");
  }

  @Test
  void shouldWaitForTheVersionOfAStreamThatIsRewritten() {
    reopen("", ", addresses: {from: {192.0.2.1: 192.0.2.2}}");
    opening.fromInitiator(link.read(Arrays.copyOf(STREAM, STREAM_INITIATE)));
    link.connecting.complete(null);
    assertThat(link.events).last().isEqualTo("to server");
    fromServer(ACCEPT);
    assertThat(link.events).last().isEqualTo("stream");
  }

  /** The Initiate was sent with one map: its stream is not left half replaced by another. */
  @ParameterizedTest
  @ValueSource(strings = {"", ", addresses: {from: {192.0.2.1: 192.0.2.3}}"})
  void shouldKeepAStreamsAddressesWhenTheConfigurationChangesBeforeItsAccept(String next) {
    LinkListenerView before = link.listenerView("", ", addresses: {from: {192.0.2.1: 192.0.2.2}}");
    ListenerFollower follower = new ListenerFollower(before);
    opening.close();
    opening = new LinkOpening(link.loop(), link, follower, new LinkHandshake(link.loop(), true));
    opening.fromInitiator(link.read(Arrays.copyOf(STREAM, STREAM_INITIATE)));
    link.connecting.complete(null);
    before.replacedBy(link.listenerView("", next));
    follower.follow(null);
    fromServer(ACCEPT);
    assertThat(link.events).last().isEqualTo("stream");
    assertThat(link.streamAddresses).isSameAs(before.addresses());
  }

  @Test
  void shouldPassFramesOfVersionsThatAreNotKnown() {
    opening.fromInitiator(link.read(INITIATE));
    link.connecting.complete(null);
    fromServer(Frames.accept(15, 15));
    assertThat(link.events).endsWith("passes version 15 of messages", "to initiator", "unknown");
  }

  @Test
  void shouldRefuseThemWhereAListenerIsStrict() {
    reopen(", strict: true", "");
    opening.fromInitiator(link.read(INITIATE));
    link.connecting.complete(null);
    fromServer(Frames.accept(15, 15));
    assertThat(link.events)
        .endsWith("fail: no rule can inspect version 15 of messages, and strict is true");
  }

  @Test
  void shouldTellTheInitiatorWhichVersionItMayTryInstead() {
    reopen("", ", addresses: {from: {192.0.2.1: 192.0.2.2}}");
    opening.fromInitiator(link.read(INITIATE));
    link.connecting.complete(null);
    fromServer(Frames.accept(15, 15));
    assertThat(link.events)
        .endsWith("to initiator", "fail: no rule can inspect version 15 of messages");
  }

  @Test
  void shouldFailOverAnInitiateThatIsNone() {
    opening.fromInitiator(link.read(new byte[31]));
    assertThat(link.events).singleElement().asString().startsWith("fail: ");
  }

  @Test
  void shouldEndWhenTheServerCannotBeReached() {
    opening.fromInitiator(link.read(INITIATE));
    link.connecting.fail(new IOException("refused"));
    assertThat(link.events).containsExactly("connect LARGE", "close");
  }

  /** Else a server would seem well to which no initiator waits long enough. */
  @Test
  void shouldNoticeThatAServerCannotBeReachedAlthoughItsInitiatorHasLeft() {
    LinkListenerView listenerView = link.listenerView();
    opening.close();
    opening =
        new LinkOpening(
            link.loop(),
            link,
            new ListenerFollower(listenerView),
            new LinkHandshake(link.loop(), true));
    opening.fromInitiator(link.read(INITIATE));
    opening.initiatorClosed();
    opening.close();
    link.close();
    assertThat(link.began(LinkOutcome.LEFT)).isEqualTo(1);
    link.connecting.fail(new IOException("refused"));
    assertThat(listenerView.upstream().status().isUsable()).isFalse();
    assertThat(listenerView.upstream().status().why()).isEqualTo("cannot be reached: refused");
    assertThat(link.began(LinkOutcome.UNREACHABLE)).isZero();
  }

  @Test
  void shouldCountAnInitiatorThatLeavesBeforeItsServerAnswers() {
    opening.fromInitiator(link.read(INITIATE));
    link.connecting.complete(null);
    opening.initiatorClosed();
    assertThat(link.began(LinkOutcome.LEFT)).isEqualTo(1);
    opening.close();
    opening.serverClosed();
    assertThat(link.began(LinkOutcome.NO_ACCEPT)).isZero();
  }

  @Test
  void shouldEndWhenAHalfIsLate() {
    reopen(", limits: {handshake: 20ms}", "");
    assertThat(opening.failIfLate()).isFalse();
    opening.fromInitiator(link.read(INITIATE));
    link.pass(25);
    assertThat(opening.failIfLate()).isFalse(); // connecting has a timeout of its own
    link.connecting.complete(null);
    assertThat(opening.failIfLate()).isFalse();
    link.pass(25);
    assertThat(opening.failIfLate()).isTrue();
    assertThat(link.events).last().isEqualTo("fail: no answer from its server within 20 ms");
  }
}
