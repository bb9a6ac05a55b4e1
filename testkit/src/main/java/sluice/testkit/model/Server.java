package sluice.testkit.model;

import java.io.IOException;
import java.net.InetSocketAddress;

/** Server behind the gateway: a real memcached, or a model of one. */
public interface Server extends AutoCloseable {

  /** Where it listens. */
  InetSocketAddress address();

  /**
   * The input after which it closed a connection itself; nothing if it did not, or does not report
   * it.
   */
  default String closedBehind() {
    return "";
  }

  @Override
  void close() throws IOException;
}
