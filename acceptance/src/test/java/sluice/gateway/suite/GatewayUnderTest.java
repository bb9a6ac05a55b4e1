package sluice.gateway.suite;

import java.net.InetSocketAddress;

/** A gateway that a test starts from a configuration file and then only knows by its sockets. */
interface GatewayUnderTest extends AutoCloseable {

  /**
   * The system property that names what the suite runs against: {@code gateway} or {@code direct}.
   */
  String PROPERTY = "sluice.suite.gateway";

  /** The gateway itself or, to prove the tests, memcached in its place. */
  static GatewayUnderTest create() {
    return isDirect() ? new DirectMemcached() : new InProcessGateway();
  }

  /** Whether the suite talks to memcached itself: what only a gateway can do is not tested then. */
  static boolean isDirect() {
    return System.getProperty(PROPERTY, "gateway").equals("direct");
  }

  /**
   * Serves the configuration; returns when every listener accepts connections. The ports that the
   * configuration asks for are 0: any free one.
   */
  void start(String yaml);

  /** Where the named listener is bound. */
  InetSocketAddress address(String listener);

  /** Which memcached the embedded store answers as. */
  default String embeddedVersion() {
    return "1.6.45";
  }

  @Override
  void close();
}
