package sluice.gateway.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import sluice.gateway.fixtures.RealMemcached;
import sluice.gateway.fixtures.Vector;

/**
 * The cases that were recorded side by side in all dialects: each client is answered in its own as
 * the server answered it directly, while the server is spoken to in another, and knows no more than
 * it has to.
 */
class BridgeVectorReplayTest {
  private static final Vector.Manifest MANIFEST = Vector.Manifest.read();
  private static final int RECORDED = 126;

  @Test
  void shouldReplayAllThatWereRecordedSideBySide() {
    assertThat(bridged()).hasSize(RECORDED);
  }

  private static List<Vector> bridged() {
    return MANIFEST.vectors().stream().filter(v -> v.name().startsWith("bridge-")).toList();
  }

  @TestFactory
  List<DynamicTest> shouldAnswerAsRecordedWhileMetaIsSpokenToTheServer() {
    return replay("meta", "ascii");
  }

  @TestFactory
  List<DynamicTest> shouldAnswerAsRecordedWhileClassicTextIsSpokenToTheServer() {
    return replay("text", "ascii");
  }

  @TestFactory
  List<DynamicTest> shouldAnswerAsRecordedWhileBinaryIsSpokenToTheServer() {
    return replay("binary", "binary");
  }

  private static List<DynamicTest> replay(String dialect, String servers) {
    VectorExceptions exceptions =
        VectorExceptions.read("exceptions-bridge-" + dialect + ".txt", MANIFEST);
    VectorReplay replay =
        new VectorReplay(
            InProcessGateway::new,
            (topology, listener, vector) -> {
              RealMemcached server = RealMemcached.start("-B", servers);
              topology.servers(listener, dialect, server);
              return server;
            },
            RealMemcached.VERSION,
            Conversation.PATIENCE);
    return replay.tests(
        bridged().stream().filter(v -> !v.protocol().equals(dialect)).toList(), exceptions);
  }
}
