package sluice.gateway.internode;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import sluice.config.LoadResult;
import sluice.config.Loader;
import sluice.gateway.fixtures.Admin;
import sluice.gateway.fixtures.Gateways;
import sluice.gateway.process.Gateway;
import sluice.testkit.Patience;

/** A gateway with one internode listener before one node, in this JVM. */
final class RunningLinks implements AutoCloseable {
  private final Gateway gateway;
  private SSLContext client;

  private RunningLinks(Gateway gateway) {
    this.gateway = gateway;
  }

  /** Before a node, with its messages wrapped as they come. */
  static RunningLinks before(String node) {
    return before(node, "framing: same", "handshake: 5s", "");
  }

  /**
   * Before a node.
   *
   * @param pool further keys of the pool
   * @param limits of the listener
   * @param rules in front of the one that leads to the pool
   */
  static RunningLinks before(String node, String pool, String limits, String rules) {
    return start(
        """
        admin: {bind: 127.0.0.1:0}
        process: {eventLoops: 2, memory: 16MiB, drain: 2s}
        listeners:
          ring: {bind: 127.0.0.1:0, protocol: internode, route: ring, limits: {%s}}
        routes:
          ring: [%s{pool: node}]
        pools:
          node: {protocol: internode, servers: ["%s"], %s}
        """
            .formatted(limits, rules, node, pool));
  }

  static RunningLinks start(String yaml) {
    LoadResult result = Loader.parse("test.yaml", yaml);
    if (!result.isValid()) {
      throw new IllegalArgumentException(result.problems().toString());
    }
    try {
      return new RunningLinks(Gateways.start(result.configuration()).await(20, TimeUnit.SECONDS));
    } catch (TimeoutException e) {
      throw new IllegalStateException("the gateway did not start", e);
    }
  }

  Gateway gateway() {
    return gateway;
  }

  InetSocketAddress address() {
    return address("ring");
  }

  InetSocketAddress address(String listener) {
    String address = gateway.address(listener);
    int colon = address.lastIndexOf(':');
    return new InetSocketAddress(
        address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
  }

  /** From now on initiators speak TLS. */
  RunningLinks over(SSLContext client) {
    this.client = client;
    return this;
  }

  FakeInitiator connect() throws IOException {
    return client == null
        ? new FakeInitiator(address())
        : new FakeInitiator(address(), client.getSocketFactory().createSocket());
  }

  /** The value of one series, by its name and labels as they are written; 0 if there is none. */
  double metric(String series) {
    return gateway
        .scrape()
        .lines()
        .filter(line -> line.startsWith(series + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
        .findFirst()
        .orElse(0);
  }

  /** Waits until a series has this value; otherwise as {@link #metric}. */
  void awaitMetric(String series, double value) {
    if (!Patience.soon(() -> metric(series) == value)) {
      throw new AssertionError(series + " is " + metric(series) + ", expected " + value);
    }
  }

  /** What the admin port answers to a GET. */
  String admin(String path) {
    return Admin.get(gateway, path);
  }

  @Override
  public void close() {
    try {
      gateway.close().await(20, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new IllegalStateException("the gateway did not stop", e);
    }
  }
}
