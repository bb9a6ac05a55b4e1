package sluice.gateway.differential;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import sluice.config.Loader;
import sluice.gateway.fixtures.Gateways;
import sluice.gateway.fixtures.RealMemcached;
import sluice.gateway.process.Gateway;

/** One memcached that is asked directly, and others behind something that is tried. */
final class Arena implements Closeable {
  // More memory than the keys of a round can take: what is evicted would differ. And no thread that
  // holds items in the background or for another connection: meanwhile incr makes a new item in
  // place of writing into the old.
  private static final String[] ARGUMENTS = {
    "-m", "1024", "-t", "1", "-o", "no_lru_maintainer,no_lru_crawler"
  };

  private final RealMemcached direct;
  private final List<RealMemcached> behind = new ArrayList<>();
  private final List<Closeable> opened = new ArrayList<>();
  private final Selector selector;
  private final InetSocketAddress through;
  private List<InetSocketAddress> readable = List.of();

  private Arena(int servers, Door door) throws Exception {
    selector = Selector.open();
    opened.add(selector);
    try {
      direct = RealMemcached.start(ARGUMENTS);
      opened.add(direct::close);
      for (int i = 0; i < servers; i++) {
        behind.add(RealMemcached.start(ARGUMENTS));
        opened.add(behind.get(i)::close);
        useUpNumbers(behind.get(i), 37 + 11 * i);
      }
      through = door.open(behind, opened);
    } catch (Exception | Error e) {
      close();
      throw e;
    }
  }

  private interface Door {
    InetSocketAddress open(List<RealMemcached> servers, List<Closeable> opened) throws Exception;
  }

  /** A gateway of this tree, with the servers that the pair wants. */
  static Arena of(Pair pair) throws Exception {
    InetSocketAddress[] contents = new InetSocketAddress[1];
    Arena arena =
        new Arena(
            pair.servers(),
            (servers, opened) -> {
              Gateway gateway = gateway(pair, servers);
              opened.add(() -> close(gateway));
              contents[0] = address(gateway, "contents");
              return address(gateway, "cache");
            });
    arena.readable = pair.keepsValues() ? arena.serversBehind() : List.of(contents[0]);
    return arena;
  }

  private static InetSocketAddress address(Gateway gateway, String listener) {
    String address = gateway.address(listener);
    int colon = address.lastIndexOf(':');
    return new InetSocketAddress(
        address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
  }

  /** No gateway: one server behind this, or behind nothing where it returns the address itself. */
  static Arena behind(UnaryOperator<InetSocketAddress> between) throws Exception {
    Arena arena = new Arena(1, (servers, opened) -> between.apply(servers.get(0).address()));
    arena.readable = arena.serversBehind();
    return arena;
  }

  private static Gateway gateway(Pair pair, List<RealMemcached> servers) {
    String addresses =
        servers.stream()
            .map(server -> "\"127.0.0.1:" + server.address().getPort() + '"')
            .collect(Collectors.joining(", "));
    String dialect = pair.dialect().equals("same") ? "" : ", dialect: " + pair.dialect();
    String yaml =
        """
        admin: {bind: 127.0.0.1:0}
        process: {eventLoops: %5$d}
        listeners:
          cache: {bind: 127.0.0.1:0, route: cache, limits: {stall: 1m}}
          contents: {bind: 127.0.0.1:0, protocol: memcached, route: contents}
        routes:
          cache: [{pool: cache%4$s}]
          contents: [{pool: contents%4$s}]
        pools:
          cache: {protocol: memcached, servers: [%1$s], timeout: 10s, queueTimeout: 10s%2$s%3$s}
          contents: {protocol: memcached, servers: [%1$s], timeout: 10s%3$s}
        """
            .formatted(addresses, dialect, pair.pool(), pair.rule(), pair.isShared() ? 3 : 1);
    try {
      return Gateways.start(Loader.parse("test.yaml", yaml).configuration())
          .await(20, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new IllegalStateException("the gateway did not start", e);
    }
  }

  private static void close(Gateway gateway) {
    try {
      gateway.close().await(20, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new IllegalStateException("the gateway did not stop", e);
    }
  }

  // Two fresh servers give the same cas uniques to the same requests: nothing would need a mapping.
  private void useUpNumbers(RealMemcached server, int count) throws IOException {
    try (Wire wire = new Wire(Dialect.TEXT, server.address())) {
      String requests = "set numbers 0 0 1 noreply\r\nx\r\n".repeat(count) + "mn\r\n";
      wire.send(requests.getBytes(StandardCharsets.ISO_8859_1), 1, false, new Random(0));
      Wire.pending(selector, wire);
    }
  }

  Selector selector() {
    return selector;
  }

  InetSocketAddress direct() {
    return direct.address();
  }

  /** Where a client connects to what is tried. */
  InetSocketAddress through() {
    return through;
  }

  List<InetSocketAddress> serversBehind() {
    return behind.stream().map(RealMemcached::address).toList();
  }

  /**
   * Where the items are read as clients store them: at the servers, or, where those hold something
   * else, through a pool that changes them back and speaks what it is spoken to in.
   */
  List<InetSocketAddress> readable() {
    return readable;
  }

  /** Empties all servers. */
  void empty() throws IOException {
    List<InetSocketAddress> all = new ArrayList<>(serversBehind());
    all.add(direct());
    for (InetSocketAddress server : all) {
      ask(Dialect.TEXT, server, List.of(line("flush_all")));
    }
  }

  private static LineOperation line(String text) {
    return LineOperation.noop(0).withLine(text);
  }

  /** What a server answers to these, all of which answer; in order. */
  List<List<Unit>> ask(Dialect dialect, InetSocketAddress server, List<Operation> operations)
      throws IOException {
    try (Wire wire = new Wire(dialect, server)) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      operations.forEach(operation -> operation.write(out, 0));
      Operation.fence(dialect, -1).write(out, 0);
      wire.send(out.toByteArray(), 1, false, new Random(0));
      Wire.pending(selector, wire);
      return Replies.divide(operations, wire.heard());
    }
  }

  @Override
  public void close() throws IOException {
    for (int i = opened.size() - 1; i >= 0; i--) {
      opened.get(i).close();
    }
  }
}
