package sluice.gateway.suite;

import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import sluice.gateway.fixtures.Vector;

/** The embedded store is a memcached: it answers as 1.6.45 was recorded. */
class EmbeddedVectorReplayTest {
  private static final Vector.Manifest MANIFEST = Vector.Manifest.read();
  private static final VectorExceptions EXCEPTIONS =
      VectorExceptions.read("exceptions-embedded.txt", MANIFEST);

  @TestFactory
  List<DynamicTest> shouldAnswerAsMemcachedDid() {
    VectorReplay replay =
        new VectorReplay(
            GatewayUnderTest::create,
            EmbeddedVectorReplayTest::freshStore,
            version(),
            Conversation.PATIENCE);
    return GatewayUnderTest.isDirect()
        ? replay.tests(EXCEPTIONS.replayable(MANIFEST))
        : replay.tests(EXCEPTIONS.replayable(MANIFEST), EXCEPTIONS);
  }

  private static AutoCloseable freshStore(Topology topology, String listener, Vector vector) {
    topology.embeddedStore(listener);
    return () -> {};
  }

  private static String version() {
    try (GatewayUnderTest gateway = GatewayUnderTest.create()) {
      return gateway.embeddedVersion();
    }
  }
}
