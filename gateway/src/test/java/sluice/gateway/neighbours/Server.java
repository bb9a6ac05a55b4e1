package sluice.gateway.neighbours;

import java.io.IOException;
import java.net.InetSocketAddress;

/** Server behind the gateway: a real memcached, or a model of one. */
interface Server extends AutoCloseable {

  /** Where it listens. */
  InetSocketAddress address();

  @Override
  void close() throws IOException;
}
