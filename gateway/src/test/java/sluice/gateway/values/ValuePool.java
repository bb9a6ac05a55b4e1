package sluice.gateway.values;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import sluice.config.Loader;
import sluice.gateway.Gateway;
import sluice.gateway.suite.RealMemcached;

/** A gateway with work on values, before real memcacheds of its own. */
final class ValuePool implements AutoCloseable {
  private final List<RealMemcached> servers;
  private final List<Talk> open = new ArrayList<>();
  private final Gateway gateway;

  /** One server; settings are YAML of the pool. */
  ValuePool(String settings) throws TimeoutException {
    this(1, settings);
  }

  ValuePool(int count, String settings) throws TimeoutException {
    servers = IntStream.range(0, count).mapToObj(i -> RealMemcached.start()).toList();
    String yaml =
        """
        admin: {bind: 127.0.0.1:0}
        process: {eventLoops: 1}
        listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
        routes: {cache: [{pool: cache}]}
        pools: {cache: {timeout: 5s, servers: [%s], %s}}
        """
            .formatted(
                servers.stream()
                    .map(server -> "\"127.0.0.1:" + server.address().getPort() + '"')
                    .collect(Collectors.joining(", ")),
                settings);
    gateway =
        Gateway.start(Loader.parse("test.yaml", yaml).configuration()).await(20, TimeUnit.SECONDS);
  }

  private Talk talk(InetSocketAddress address) throws IOException {
    Talk talk = new Talk(address);
    open.add(talk);
    return talk;
  }

  /** A new connection to the gateway. */
  Talk client() throws IOException {
    String address = gateway.address("cache");
    int colon = address.lastIndexOf(':');
    return talk(
        new InetSocketAddress(
            address.substring(0, colon), Integer.parseInt(address.substring(colon + 1))));
  }

  /** A new connection to the first server. */
  Talk server() throws IOException {
    return talk(servers.get(0).address());
  }

  /** Bytes of values at a stage of compression. */
  long compressed(String stage) {
    String series = "sluice_compression_bytes_total{stage=\"" + stage + "\"} ";
    return gateway
        .scrape()
        .lines()
        .filter(line -> line.startsWith(series))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(series.length())))
        .sum();
  }

  long bufferedBytes() {
    return gateway.bufferedBytes();
  }

  @Override
  public void close() throws IOException, TimeoutException {
    for (Talk each : open) {
      each.close();
    }
    gateway.close().await(20, TimeUnit.SECONDS);
    servers.forEach(RealMemcached::close);
  }
}
