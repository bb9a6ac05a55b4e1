package sluice.gateway.values;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import sluice.gateway.fixtures.RealMemcached;

/**
 * A gateway that splits values, before real memcacheds that take no more than 1 MiB; the last of
 * them is pool other's.
 */
final class SplitPool extends TestBed {
  static final int FLAG = 0x20000;

  /** Chunks that are not all on the same servers by chance. */
  static final int MANY = 48;

  /**
   * A pool {@code cache}, and one {@code other} of one more server.
   *
   * @param rule YAML of the rule beside the pool
   * @param pool YAML of both pools
   */
  SplitPool(int count, String rule, String pool) throws TimeoutException {
    this(
        IntStream.rangeClosed(0, count)
            .mapToObj(i -> RealMemcached.start("-I", "1m", "-m", "256", "-o", "no_lru_maintainer"))
            .toList(),
        rule,
        pool);
  }

  private SplitPool(List<RealMemcached> servers, String rule, String pool) throws TimeoutException {
    super(
        servers,
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
          other: {timeout: 10s, servers: [%s]}
        """
            .formatted(
                rule,
                written(servers.subList(0, servers.size() - 1)),
                pool,
                written(servers.subList(servers.size() - 1, servers.size()))));
  }

  /** Keys of all items of a server, chunks among them. */
  List<String> keys(int index) throws IOException {
    List<String> keys = new ArrayList<>();
    Talk server = server(index);
    String line = server.line("lru_crawler metadump all\r\n");
    while (!line.equals("END")) {
      keys.add(
          URLDecoder.decode(
              line.substring("key=".length(), line.indexOf(' ')), StandardCharsets.UTF_8));
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
    assertThat(found).hasSize(count);
    return found;
  }

  /**
   * Where chunks are is chance, as their keys are: that so many are on all of so many servers is
   * sure enough.
   */
  void shouldBeSpread(String key, int servers) throws IOException, InterruptedException {
    assertThat(find(key + ":split:", MANY).stream().map(Placed::server).collect(Collectors.toSet()))
        .hasSize(servers);
  }

  /** The items whose keys hold something, as far as dumps tell of them. */
  List<Placed> find(String part) throws IOException {
    List<Placed> found = new ArrayList<>();
    for (int i = 0; i < servers(); i++) {
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
}
