package sluice.gateway.suite;

import java.net.InetSocketAddress;
import sluice.gateway.fixtures.RealMemcached;

/** What is behind a gateway that a client is tried on. */
enum Backend {
  /** One memcached of this machine. */
  MEMCACHED,
  /** The same, and all values that become smaller are stored compressed. */
  COMPRESSED,
  /** The store in the gateway itself. */
  EMBEDDED;

  /** Where a test's client connects to. */
  interface Use {
    void with(InetSocketAddress address) throws Exception;
  }

  /** Runs the test on a gateway of its own, with a fresh store behind it. */
  void serve(Use use) throws Exception {
    if (this == EMBEDDED) {
      try (GatewayUnderTest gateway = GatewayUnderTest.create()) {
        gateway.start(Topology.embedded());
        use.with(gateway.address("cache"));
      }
      return;
    }
    try (RealMemcached server = RealMemcached.start();
        GatewayUnderTest gateway = GatewayUnderTest.create()) {
      gateway.start(this == COMPRESSED ? Topology.compressing(server) : Topology.of(server));
      use.with(gateway.address("cache"));
    }
  }
}
