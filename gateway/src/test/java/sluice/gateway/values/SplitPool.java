package sluice.gateway.values;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import sluice.config.LoadResult;
import sluice.config.Loader;
import sluice.gateway.Gateway;
import sluice.gateway.suite.RealMemcached;

/** A gateway that splits values, before real memcacheds that take no more than 1 MiB. */
final class SplitPool implements AutoCloseable {
  static final int FLAG = 0x20000;

  private final List<RealMemcached> servers;
  private final List<Talk> open = new ArrayList<>();
  private final Gateway gateway;

  /**
   * A pool {@code cache}, and one {@code other} of one more server.
   *
   * @param rule YAML of the rule beside the pool
   * @param pool YAML of both pools
   */
  SplitPool(int count, String rule, String pool) throws TimeoutException {
    servers =
        IntStream.rangeClosed(0, count)
            .mapToObj(i -> RealMemcached.start("-I", "1m", "-m", "256", "-o", "no_lru_maintainer"))
            .toList();
    String yaml =
        """
        admin: {bind: 127.0.0.1:0}
        process: {eventLoops: 2, memory: 64MiB}
        listeners:
          cache: {bind: 127.0.0.1:0, route: cache, limits: {itemSize: 24MiB, stall: 20s}}
        routes: {cache: [{pool: cache%s}]}
        pools:
          cache:
            timeout: 10s
            connections: {probeAfter: 200ms}
            servers: [%s]
            %s
          other: {timeout: 10s, servers: ["127.0.0.1:%d"]}
        """
            .formatted(
                rule,
                IntStream.range(0, count)
                    .mapToObj(i -> "\"127.0.0.1:" + servers.get(i).address().getPort() + '"')
                    .collect(Collectors.joining(", ")),
                pool,
                servers.get(count).address().getPort());
    LoadResult loaded = Loader.parse("test.yaml", yaml);
    if (!loaded.isValid()) {
      throw new IllegalArgumentException(loaded.problems().toString());
    }
    gateway = Gateway.start(loaded.configuration()).await(20, TimeUnit.SECONDS);
  }

  private Talk talk(InetSocketAddress address) throws IOException {
    Talk talk = new Talk(address);
    synchronized (open) {
      open.add(talk);
    }
    return talk;
  }

  /** Where clients connect. */
  InetSocketAddress address() {
    String address = gateway.address("cache");
    int colon = address.lastIndexOf(':');
    return new InetSocketAddress(
        address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
  }

  /** A new connection to the gateway. */
  Talk client() throws IOException {
    return talk(address());
  }

  /** A new connection to a server; the last one is pool other's. */
  Talk server(int index) throws IOException {
    return talk(servers.get(index).address());
  }

  /** Ends a server. */
  void kill(int index) {
    servers.get(index).close();
  }

  int servers() {
    return servers.size();
  }

  /** Keys of all items of a server, pieces among them. */
  List<String> keys(int index) throws IOException {
    List<String> keys = new ArrayList<>();
    Talk server = server(index);
    String line = server.line("lru_crawler metadump all\r\n");
    while (!line.equals("END")) {
      keys.add(
          java.net.URLDecoder.decode(
              line.substring("key=".length(), line.indexOf(' ')),
              java.nio.charset.StandardCharsets.UTF_8));
      line = server.line("");
    }
    return keys;
  }

  /**
   * So many items whose keys hold something: a dump may miss what the server is moving just then.
   */
  List<Placed> find(String part, int count) throws IOException, InterruptedException {
    List<Placed> found = find(part);
    for (int i = 0; i < 200 && found.size() != count; i++) {
      TimeUnit.MILLISECONDS.sleep(20);
      found = find(part);
    }
    org.assertj.core.api.Assertions.assertThat(found).hasSize(count);
    return found;
  }

  /** The items whose keys hold something, as far as dumps tell of them. */
  List<Placed> find(String part) throws IOException {
    List<Placed> found = new ArrayList<>();
    for (int i = 0; i < servers.size(); i++) {
      for (String key : keys(i)) {
        if (key.contains(part)) {
          found.add(new Placed(i, key));
        }
      }
    }
    return found;
  }

  /** An item on a server. */
  record Placed(int server, String key) {}

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
