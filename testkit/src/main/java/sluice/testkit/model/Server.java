package sluice.testkit.model;

import java.io.IOException;
import java.net.InetSocketAddress;

/** Server behind the gateway: a real memcached, or a model of one. */
public interface Server extends AutoCloseable {

  /** The address that it listens on. */
  InetSocketAddress address();

  /**
   * The input after which it closed a connection itself; empty if it did not, or does not report
   * it.
   */
  default String closedBehind() {
    return "";
  }

  @Override
  void close() throws IOException;
}
