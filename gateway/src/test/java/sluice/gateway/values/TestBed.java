package sluice.gateway.values;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import sluice.config.LoadResult;
import sluice.config.Loader;
import sluice.gateway.fixtures.Gateways;
import sluice.gateway.fixtures.RealMemcached;
import sluice.gateway.process.Gateway;

/** A gateway before real memcacheds of its own, and connections to it and to them. */
abstract class TestBed implements AutoCloseable {
  private final List<RealMemcached> servers;
  private final List<Talk> open = new ArrayList<>();
  private final Gateway gateway;

  /**
   * One that runs.
   *
   * @param servers which end with it
   * @param yaml a whole configuration, with a listener that is called cache
   */
  TestBed(List<RealMemcached> servers, String yaml) throws TimeoutException {
    this.servers = servers;
    LoadResult loaded = Loader.parse("test.yaml", yaml);
    if (!loaded.isValid()) {
      throw new IllegalArgumentException(loaded.problems().toString());
    }
    gateway = Gateways.start(loaded.configuration()).await(20, TimeUnit.SECONDS);
  }

  /** The servers as a configuration names them. */
  static String written(List<RealMemcached> servers) {
    return servers.stream()
        .map(server -> "\"127.0.0.1:" + server.address().getPort() + '"')
        .collect(Collectors.joining(", "));
  }

  private Talk talk(InetSocketAddress address) throws IOException {
    Talk talk = new Talk(address);
    synchronized (open) {
      open.add(talk);
    }
    return talk;
  }

  final Gateway gateway() {
    return gateway;
  }

  /** Where clients connect. */
  final InetSocketAddress address() {
    String address = gateway.address("cache");
    int colon = address.lastIndexOf(':');
    return new InetSocketAddress(
        address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
  }

  /** A new connection to the gateway. */
  final Talk client() throws IOException {
    return talk(address());
  }

  /** A new connection to a server. */
  final Talk server(int index) throws IOException {
    return talk(servers.get(index).address());
  }

  /** How many servers there are. */
  final int servers() {
    return servers.size();
  }

  /** A server as the gateway names it. */
  final String name(int index) {
    return "127.0.0.1:" + servers.get(index).address().getPort();
  }

  /** Ends a server. */
  final void kill(int index) {
    servers.get(index).close();
  }

  final long bufferedBytes() {
    return gateway.bufferedBytes();
  }

  /** Nothing is buffered any more, or soon not. */
  final void shouldHoldNothing() throws InterruptedException {
    for (int i = 0; i < 400 && bufferedBytes() > 0; i++) {
      TimeUnit.MILLISECONDS.sleep(25);
    }
    assertThat(bufferedBytes()).isZero();
  }

  @Override
  public final void close() throws IOException, TimeoutException {
    for (Talk each : open) {
      each.close();
    }
    gateway.close().await(20, TimeUnit.SECONDS);
    servers.forEach(RealMemcached::close);
  }
}
