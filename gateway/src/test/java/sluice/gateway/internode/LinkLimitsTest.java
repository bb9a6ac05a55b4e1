package sluice.gateway.internode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.channel.ChannelOption;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import sluice.codecs.internode.ConnectionType;
import sluice.gateway.fixtures.SideBySide;
import sluice.gateway.process.LinksOf;
import sluice.names.Verb;
import sluice.testkit.Patience;

/** Peers that are slow, and messages that are too large. */
class LinkLimitsTest {
  private static final byte[] ACCEPT = Frames.accept(12, 12);

  @TestFactory
  List<DynamicTest> shouldHoldLittleForAReceiverThatDoesNotRead() {
    return new SideBySide()
        .add(
            "should stop reading a sender whose receiver does not read",
            LinkLimitsTest::shouldStopReadingASenderWhoseReceiverDoesNotRead)
        .add(
            "should not call a link idle whose receiver does not read",
            LinkLimitsTest::shouldNotCallALinkIdleWhoseReceiverDoesNotRead)
        .add(
            "should hold no more than its memory for receivers that do not read",
            LinkLimitsTest::shouldHoldNoMoreThanItsMemoryForReceiversThatDoNotRead)
        .tests(3, Duration.ofMinutes(3));
  }

  private static void shouldStopReadingASenderWhoseReceiverDoesNotRead() throws Exception {
    try (FakeNode node = FakeNode.slow(ACCEPT);
        RunningLinks links =
            RunningLinks.before(node.address(), "framing: same", "inFlightBytes: 256KiB", "")) {
      stopReadingASender(node, links, 16 * 64 * 1024);
    }
  }

  /** Its bytes wait in the kernel, where the gateway does not see them. */
  private static void shouldNotCallALinkIdleWhoseReceiverDoesNotRead() throws Exception {
    String limits = "inFlightBytes: 256KiB, idle: 2s";
    try (FakeNode node = FakeNode.slow(ACCEPT);
        RunningLinks links = RunningLinks.before(node.address(), "framing: same", limits, "")) {
      stopReadingASender(node, links, 16 * 64 * 1024, 5_000);
    }
  }

  private static void shouldHoldNoMoreThanItsMemoryForReceiversThatDoNotRead() throws Exception {
    byte[] frame = Frames.crc(true, Frames.message(7, Verb.READ_RSP, 0, 60_000));
    List<FakeInitiator> initiators = new ArrayList<>();
    try (FakeNode slow = FakeNode.slow(ACCEPT);
        FakeNode node = FakeNode.answering(ACCEPT);
        RunningLinks links =
            RunningLinks.start(
                """
                admin: {bind: 127.0.0.1:0}
                process: {eventLoops: 1, memory: 8MiB}
                listeners:
                  ring: {bind: 127.0.0.1:0, protocol: internode, route: ring}
                  other: {bind: 127.0.0.1:0, protocol: internode, route: other}
                routes: {ring: [{pool: slow}], other: [{pool: node}]}
                pools:
                  slow: {protocol: internode, servers: ["%s"]}
                  node: {protocol: internode, servers: ["%s"]}
                """
                    .formatted(slow.address(), node.address()))) {
      try {
        for (int i = 0; i < 16; i++) {
          FakeInitiator initiator = HandshakeTest.open(links);
          initiators.add(initiator);
          Thread sender = new Thread(() -> sendUntilItEnds(initiator, frame), "sender");
          sender.setDaemon(true);
          sender.start();
        }
        assertThat(Patience.soon(() -> links.gateway().bufferedBytes() > 7 << 20)).isTrue();
        long peak = 0;
        long before = 0;
        for (int i = 0, unchanged = 0; i < 600 && unchanged < 100; i++) {
          long now = links.gateway().bufferedBytes();
          unchanged = now == before ? unchanged + 1 : 0;
          before = now;
          peak = Math.max(peak, now);
          TimeUnit.MILLISECONDS.sleep(10);
        }
        // links pause at seven eighths; what each had read by then is on top
        assertThat(peak).isLessThan((7 << 20) + 2 * 16 * 64 * 1024);
        FakeInitiator other = new FakeInitiator(links.address("other"));
        initiators.add(other);
        other.send(Frames.initiate(ConnectionType.SMALL));
        assertThat(other.read(12)).isEqualTo(ACCEPT);
        for (int i = 0; i < 20; i++) {
          other.send(frame);
        }
        assertThat(node.next().body(20 * frame.length)).hasSize(20 * frame.length);
      } finally {
        for (FakeInitiator initiator : initiators) {
          initiator.close();
        }
      }
    }
  }

  private static void sendUntilItEnds(FakeInitiator initiator, byte[] frame) {
    try {
      while (true) {
        initiator.send(frame);
      }
    } catch (IOException e) {
      // the test is over
    }
  }

  /**
   * Sends far more than the 256 KiB that a link may hold to a node that does not read yet.
   *
   * @param onTop bytes that a socket is read for at once: up to 16 reads of 64 KiB
   */
  static void stopReadingASender(FakeNode node, RunningLinks links, long onTop) throws Exception {
    stopReadingASender(node, links, onTop, 0);
  }

  /** The same; the node does not read for these milliseconds more. */
  private static void stopReadingASender(
      FakeNode node, RunningLinks links, long onTop, long pauseMillis) throws Exception {
    byte[] frame = Frames.crc(true, Frames.message(7, Verb.READ_RSP, 0, 60_000));
    int frames = 600;
    AtomicLong sent = new AtomicLong();
    try (FakeInitiator initiator = HandshakeTest.open(links)) {
      Thread sender =
          new Thread(
              () -> {
                try {
                  for (int i = 0; i < frames; i++) {
                    initiator.send(frame);
                    sent.addAndGet(frame.length);
                  }
                } catch (IOException e) {
                  sent.set(-1);
                }
              });
      sender.start();
      FakeNode.Incoming link = node.next();
      long peak = 0;
      long before = -1;
      long end = System.nanoTime() + Patience.LIMIT.toNanos();
      // A busy machine begins late, and rests on the way.
      while ((peak < 64 * 1024 || sent.get() != before) && System.nanoTime() < end) {
        before = sent.get();
        for (int i = 0; i < 50; i++) {
          peak = Math.max(peak, links.gateway().bufferedBytes());
          TimeUnit.MILLISECONDS.sleep(10);
        }
      }
      assertThat(sent.get()).isLessThan((long) frames * frame.length);
      assertThat(peak).isBetween(64L * 1024, 256L * 1024 + onTop);
      TimeUnit.MILLISECONDS.sleep(pauseMillis);
      link.readAll();
      assertThat(link.body(frames * frame.length)).hasSize(frames * frame.length);
      sender.join();
      assertThat(Patience.soon(() -> links.gateway().bufferedBytes() == 0)).isTrue();
    }
  }

  @Test
  void shouldGoOnAlthoughAllOfMemoryIsHalvesOfFrames() throws Exception {
    byte[] frame = Frames.crc(true, Frames.message(7, Verb.READ_RSP, 0, 130_000));
    int cut = 120_000;
    int count = 24;
    List<FakeInitiator> initiators = new ArrayList<>();
    List<FakeNode.Incoming> incoming = new ArrayList<>();
    try (FakeNode node = FakeNode.answering(ACCEPT);
        RunningLinks links =
            RunningLinks.start(
                """
                admin: {bind: 127.0.0.1:0}
                process: {eventLoops: 1, memory: 1MiB}
                listeners: {ring: {bind: 127.0.0.1:0, protocol: internode, route: ring, limits: {inFlightBytes: 64KiB}}}
                routes: {ring: [{pool: node}]}
                pools: {node: {protocol: internode, servers: ["%s"]}}
                """
                    .formatted(node.address()))) {
      try {
        for (int i = 0; i < count; i++) {
          initiators.add(HandshakeTest.open(links));
          incoming.add(node.next());
        }
        for (FakeInitiator initiator : initiators) {
          initiator.send(frame, 0, cut);
        }
        assertThat(Patience.soon(() -> links.gateway().bufferedBytes() > 900_000)).isTrue();
        for (FakeInitiator initiator : initiators) {
          initiator.send(frame, cut, frame.length);
        }
        for (FakeNode.Incoming link : incoming) {
          assertThat(link.body(frame.length)).isEqualTo(frame);
        }
      } finally {
        for (FakeInitiator initiator : initiators) {
          initiator.close();
        }
      }
    }
  }

  @Test
  void shouldCloseALinkWithAMessageOverTheLimit() throws Exception {
    byte[] first = Frames.crc(true, Frames.message(1, Verb.PING_REQ, 0, 1_000));
    byte[] second = Frames.crc(true, Frames.message(2, Verb.PING_REQ, 0, 2_000));
    try (FakeNode node = FakeNode.answering(ACCEPT);
        RunningLinks links =
            RunningLinks.before(node.address(), "framing: same", "messageSize: 1500B", "");
        FakeInitiator initiator = HandshakeTest.open(links)) {
      initiator.send(Frames.join(first, second, first));
      assertThat(node.next().bodyToEnd()).isEqualTo(first);
      links.awaitMetric("sluice_internode_protocol_errors_total{listener=\"ring\"}", 1);
    }
  }

  @Test
  void shouldStopReadingAServerWhoseInitiatorDoesNotRead() throws Exception {
    byte[] piece = new byte[64 * 1024];
    int pieces = 400;
    AtomicLong sent = new AtomicLong();
    try (FakeNode node = FakeNode.answering(ACCEPT);
        RunningLinks links =
            RunningLinks.before(node.address(), "framing: same", "inFlightBytes: 256KiB", "");
        FakeInitiator initiator = links.connect()) {
      byte[] stream =
          sluice.codecs.internode.Vectors.bytes("stream/v12-streaming-rebuild-control-b2a.c2s.bin");
      initiator.send(stream, 0, 19);
      assertThat(initiator.read(12)).isEqualTo(ACCEPT);
      FakeNode.Incoming link = node.next();
      Thread sender =
          new Thread(
              () -> {
                try {
                  for (int i = 0; i < pieces; i++) {
                    link.send(piece);
                    sent.addAndGet(piece.length);
                  }
                } catch (IOException e) {
                  sent.set(-1);
                }
              });
      sender.start();
      assertThat(Patience.soon(() -> links.gateway().bufferedBytes() > 64 * 1024)).isTrue();
      TimeUnit.SECONDS.sleep(1);
      assertThat(links.gateway().bufferedBytes()).isLessThan(256L * 1024 + 16 * 64 * 1024);
      assertThat(initiator.read(pieces * piece.length)).hasSize(pieces * piece.length);
      sender.join();
    }
  }

  @Test
  void shouldCloseALinkRatherThanHoldAMessageThatTheProcessHasNoRoomFor() throws Exception {
    byte[] message = Frames.message(1, Verb.GOSSIP_DIGEST_ACK, 0, 64 * 1024 * 1024);
    AtomicLong most = new AtomicLong();
    try (FakeNode node = FakeNode.answering(ACCEPT);
        RunningLinks links =
            RunningLinks.start(
                """
                admin: {bind: 127.0.0.1:0}
                process: {eventLoops: 1, memory: 16MiB, drain: 2s}
                listeners: {ring: {bind: 127.0.0.1:0, protocol: internode, route: ring}}
                routes: {ring: [{pool: node, addresses: {from: {192.0.2.1: 192.0.2.2}}}]}
                pools: {node: {protocol: internode, servers: ["%s"]}}
                """
                    .formatted(node.address()));
        FakeInitiator initiator = HandshakeTest.open(links)) {
      Thread sender =
          new Thread(
              () -> {
                try {
                  for (int from = 0; from < message.length; from += 100_000) {
                    int to = Math.min(message.length, from + 100_000);
                    initiator.send(Frames.crc(false, Arrays.copyOfRange(message, from, to)));
                    most.accumulateAndGet(links.gateway().bufferedBytes(), Math::max);
                  }
                } catch (IOException e) {
                  most.accumulateAndGet(1, Math::max); // closed, as it must be
                }
              });
      sender.start();
      assertThat(node.next().bodyToEnd()).isEmpty();
      sender.join();
      assertThat(most.get()).isBetween(1024L * 1024, 18L * 1024 * 1024);
      assertThat(Patience.soon(() -> links.gateway().bufferedBytes() == 0)).isTrue();
    }
  }

  /** A peer that has lost its power says nothing: only the kernel can tell. */
  @Test
  void shouldNoticePeersThatAreGoneAsNodesDo() throws Exception {
    try (FakeNode node = FakeNode.answering(ACCEPT);
        RunningLinks links = RunningLinks.before(node.address());
        FakeInitiator initiator = HandshakeTest.open(links)) {
      Link link = (Link) LinksOf.registry(links.gateway()).find(Frames.node(13), links.address());
      assertThat(link.sides().initiator().channel().config().getOption(ChannelOption.SO_KEEPALIVE))
          .isTrue();
      assertThat(link.sides().acceptor().channel().config().getOption(ChannelOption.SO_KEEPALIVE))
          .isTrue();
      assumeThat(link.sides().acceptor().channel().getClass().getName()).contains("Epoll");
      ChannelOption<Integer> userTimeout =
          ChannelOption.valueOf("io.netty.channel.epoll.EpollChannelOption#TCP_USER_TIMEOUT");
      assertThat(link.sides().acceptor().channel().config().getOption(userTimeout))
          .isEqualTo(30_000);
      initiator.leave();
    }
  }

  @Test
  void shouldCountWhatALinkCarries() throws Exception {
    byte[] frame =
        Frames.crc(
            true,
            Frames.message(1, Verb.PING_REQ, 0, 10),
            Frames.message(2, Verb.PING_REQ, 0, 20),
            Frames.message(3, Verb.READ_REQ, 0, 1_000));
    try (FakeNode node = FakeNode.answering(ACCEPT);
        RunningLinks links =
            RunningLinks.before(node.address(), "framing: unprotected", "handshake: 5s", "")) {
      try (FakeInitiator initiator = HandshakeTest.open(links)) {
        initiator.send(frame);
        node.next().body(frame.length - 4);
      }
      String one = "{direction=\"%s\",listener=\"ring\"";
      String messages = "sluice_internode_messages_total" + one;
      links.awaitMetric(messages.formatted("in") + ",verb=\"PING_REQ\"}", 2);
      links.awaitMetric(messages.formatted("out") + ",verb=\"READ_REQ\"}", 1);
      String frames = "sluice_internode_frames_total{direction=\"out\",framing=\"unprotected\"";
      links.awaitMetric(frames + ",listener=\"ring\"}", 1);
      String bytes = "sluice_internode_framing_bytes_total" + one + "}";
      links.awaitMetric(bytes.formatted("in"), frame.length);
      links.awaitMetric(bytes.formatted("out"), frame.length - 4);
      assertThat(
              Patience.soon( // it ends when what the node has read already has been written
                  () ->
                      links.metric("sluice_internode_own_time_seconds_count{listener=\"ring\"}")
                          > 0))
          .isTrue();
      assertThat(
              Patience.soon(
                  () ->
                      links.metric("sluice_internode_links{listener=\"ring\",type=\"small\"}")
                          == 0))
          .isTrue();
    }
  }

  @Test
  void shouldTellMessagesApartByTypeOfLink() throws Exception {
    try (FakeNode node = FakeNode.answering(ACCEPT);
        RunningLinks links = RunningLinks.before(node.address());
        FakeInitiator urgent = links.connect();
        FakeInitiator large = links.connect()) {
      urgent.send(Frames.initiate(ConnectionType.URGENT)).read(12);
      large.send(Frames.initiate(ConnectionType.LARGE)).read(12);
      assertThat(links.admin("/listeners"))
          .contains("\"urgent\" : 1", "\"large\" : 1", "\"small\" : 0");
    }
  }
}
