package sluice.gateway.suite;

import java.net.InetSocketAddress;

/** The gateway of this source tree, in this JVM. */
final class InProcessGateway implements GatewayUnderTest {
  @Override
  public void start(String yaml) {
    throw new UnsupportedOperationException("the gateway cannot be started in this JVM yet");
  }

  @Override
  public InetSocketAddress address(String listener) {
    throw new IllegalStateException("not started");
  }

  @Override
  public void close() {}
}
