package sluice.testkit.model;

import java.io.IOException;
import java.net.InetSocketAddress;

/** Server behind the gateway: a real memcached, or a model of one. */
public interface Server extends AutoCloseable {

  /** Where it listens. */
  InetSocketAddress address();

  /** Behind what it closed a connection itself; nothing if it did not, or does not tell. */
  default String closedBehind() {
    return "";
  }

  @Override
  void close() throws IOException;
}
