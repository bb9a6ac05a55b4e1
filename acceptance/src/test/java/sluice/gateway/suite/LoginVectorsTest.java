package sluice.gateway.suite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import sluice.gateway.fixtures.RealMemcached;
import sluice.gateway.fixtures.Vector;

/**
 * A listener with auth answers as servers that want a login, though the one behind it wants none.
 */
class LoginVectorsTest {
  private static final Vector.Manifest MANIFEST = Vector.Manifest.read();
  private static final VectorExceptions EXCEPTIONS =
      VectorExceptions.read("exceptions-login.txt", MANIFEST);

  @TempDir static Path directory;

  @BeforeAll
  static void writeUsers() throws IOException {
    Files.writeString(directory.resolve("users.txt"), "alice:secret\nbob:pw2\n");
  }

  @TestFactory
  List<DynamicTest> shouldAnswerLoginsByTextAsMemcached() {
    return tests("asciiauth", "1.6.45", "[text, meta]");
  }

  @TestFactory
  List<DynamicTest> shouldAnswerSaslAsMemcached() {
    return tests("sasl", RealMemcached.VERSION, "[binary]");
  }

  private static List<DynamicTest> tests(String profile, String version, String dialects) {
    VectorReplay replay =
        new VectorReplay(
            InProcessGateway::new,
            (topology, listener, vector) -> freshServer(topology, listener, dialects),
            version,
            Conversation.PATIENCE);
    return replay.tests(
        MANIFEST.vectors().stream().filter(v -> v.profile().equals(profile)).toList(), EXCEPTIONS);
  }

  private static AutoCloseable freshServer(Topology topology, String listener, String dialects) {
    RealMemcached server = RealMemcached.start();
    topology
        .with(
            "dialects: " + dialects + ", auth: {users: " + directory.resolve("users.txt") + "}", "")
        .servers(listener, server);
    return server;
  }
}
