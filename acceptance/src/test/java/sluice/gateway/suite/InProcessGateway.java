package sluice.gateway.suite;

import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import sluice.config.Loader;
import sluice.gateway.fixtures.Gateways;
import sluice.gateway.process.Gateway;

/** The gateway of this source tree, in this JVM. */
final class InProcessGateway implements GatewayUnderTest {
  private Gateway gateway;

  @Override
  public void start(String yaml) {
    try {
      gateway =
          Gateways.start(Loader.parse("test.yaml", yaml).configuration())
              .await(20, TimeUnit.SECONDS);
    } catch (java.util.concurrent.TimeoutException e) {
      throw new IllegalStateException("the gateway did not start", e);
    }
  }

  @Override
  public InetSocketAddress address(String listener) {
    String address = gateway.address(listener);
    int colon = address.lastIndexOf(':');
    return new InetSocketAddress(
        address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
  }

  @Override
  public void close() {
    if (gateway != null) {
      try {
        gateway.close().await(20, TimeUnit.SECONDS);
      } catch (java.util.concurrent.TimeoutException e) {
        throw new IllegalStateException("the gateway did not stop", e);
      }
    }
  }
}
