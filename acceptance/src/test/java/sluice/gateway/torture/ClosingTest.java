package sluice.gateway.torture;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** Tests whose servers, gateways and clients are closed behind each, the last one first. */
abstract class ClosingTest {
  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  final void close() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  /** Resource, which is closed behind the test. */
  final <T extends AutoCloseable> T closing(T resource) {
    open.add(resource);
    return resource;
  }

  /** A client that is closed behind the test. */
  final RawClient client(InetSocketAddress address) throws IOException {
    return closing(new RawClient(address));
  }
}
