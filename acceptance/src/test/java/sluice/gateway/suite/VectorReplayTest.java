package sluice.gateway.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import sluice.gateway.fixtures.RealMemcached;
import sluice.gateway.fixtures.Vector;

/** With one server behind the route, replies are byte for byte that server's. */
class VectorReplayTest {
  private static final Vector.Manifest MANIFEST = Vector.Manifest.read();
  private static final VectorExceptions EXCEPTIONS =
      VectorExceptions.read("exceptions-gateway.txt", MANIFEST);

  @Test
  void shouldFindTheServerVersionThatTheVectorsWereRecordedOn() {
    assertThat(RealMemcached.installedVersion()).contains(RealMemcached.VERSION);
  }

  @TestFactory
  List<DynamicTest> shouldAnswerAsTheServerDid() {
    VectorReplay replay =
        new VectorReplay(
            GatewayUnderTest::create,
            VectorReplayTest::freshServer,
            RealMemcached.VERSION,
            Conversation.PATIENCE);
    // memcached itself has no exceptions.
    return GatewayUnderTest.isDirect()
        ? replay.tests(EXCEPTIONS.replayable(MANIFEST))
        : replay.tests(EXCEPTIONS.replayable(MANIFEST), EXCEPTIONS);
  }

  private static AutoCloseable freshServer(Topology topology, String listener, Vector vector) {
    List<String> arguments = MANIFEST.profiles().get(vector.profile());
    RealMemcached server = RealMemcached.start(arguments.toArray(String[]::new));
    topology.servers(listener, server);
    return server;
  }
}
