package sluice.gateway.internode;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import sluice.codecs.internode.ConnectionType;
import sluice.testkit.LogLines;
import sluice.testkit.Patience;

/** Links whose initiators come through a proxy that sends PROXY headers. */
class ProxiedLinksTest {
  private static final byte[] ACCEPT = Frames.accept(12, 12);
  private static final byte[] HEADER =
      "PROXY TCP4 203.0.113.7 10.0.0.1 4711 7000\r\n".getBytes(US_ASCII);

  private static RunningLinks before(FakeNode node) {
    return RunningLinks.start(
        """
        admin: {bind: 127.0.0.1:0}
        process: {eventLoops: 1, memory: 16MiB, drain: 2s}
        listeners:
          ring:
            {bind: 127.0.0.1:0, protocol: internode, route: ring, limits: {handshake: 5s}, proxyProtocol: {from: [127.0.0.1]}}
        routes: {ring: [{pool: node}]}
        pools: {node: {protocol: internode, servers: ["%s"]}}
        """
            .formatted(node.address()));
  }

  private static double invalid(RunningLinks links) {
    return links.metric("sluice_internode_handshakes_total{listener=\"ring\",outcome=\"invalid\"}");
  }

  @Test
  void shouldReadTheHandshakeBehindTheHeaderWhereverItIsCut() throws Exception {
    byte[] initiate = Frames.initiate(ConnectionType.SMALL);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(HEADER);
    bytes.writeBytes(initiate);
    byte[] all = bytes.toByteArray();
    try (FakeNode node = FakeNode.answering(ACCEPT);
        RunningLinks links = before(node)) {
      for (int cut : new int[] {1, 20, HEADER.length, HEADER.length + 5, all.length}) {
        try (FakeInitiator initiator = links.connect().send(all, 0, cut)) {
          initiator.send(all, cut, all.length);
          assertThat(initiator.read(12)).as("cut at " + cut).isEqualTo(ACCEPT);
          assertThat(node.next().initiate().length).isEqualTo(initiate.length);
        }
      }
      assertThat(invalid(links)).isZero();
    }
  }

  @Test
  void shouldCloseALinkWithoutAHeader() throws Exception {
    try (LogLines log = LogLines.of("sluice.gateway");
        FakeNode node = FakeNode.answering(ACCEPT);
        RunningLinks links = before(node);
        FakeInitiator initiator = links.connect()) {
      initiator.send(Frames.initiate(ConnectionType.SMALL));
      assertThat(initiator.readToEnd(Patience.LIMIT)).isEmpty();
      assertThat(node.hasNext()).isFalse();
      assertThat(Patience.soon(() -> invalid(links) == 1)).isTrue();
      assertThat(log.lines())
          .singleElement()
          .asString()
          .startsWith("listener ring: /127.0.0.1:")
          .contains(" closed: found ca 55 2d fa ", ", expected a PROXY header");
    }
  }

  @Test
  void shouldNameTheInitiatorThatTheProxyNames() throws Exception {
    byte[] damaged = Frames.initiate(ConnectionType.SMALL);
    damaged[damaged.length - 1] ^= 1;
    byte[] all = Arrays.copyOf(HEADER, HEADER.length + damaged.length);
    System.arraycopy(damaged, 0, all, HEADER.length, damaged.length);
    try (LogLines log = LogLines.of("sluice.gateway");
        FakeNode node = FakeNode.answering(ACCEPT);
        RunningLinks links = before(node);
        FakeInitiator initiator = links.connect().send(all)) {
      assertThat(initiator.readToEnd(Patience.LIMIT)).isEmpty();
      assertThat(log.lines())
          .singleElement()
          .asString()
          .contains("listener ring: ", " from /203.0.113.7:4711: closed: ");
    }
  }
}
