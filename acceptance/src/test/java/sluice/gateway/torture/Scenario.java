package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import sluice.config.LoadResult;
import sluice.config.Loader;
import sluice.gateway.fixtures.RealMemcached;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedServer;

/** Servers, a gateway before them and clients, which end with the test. */
final class Scenario implements AutoCloseable {

  private final List<AutoCloseable> open = new ArrayList<>();
  private RunningGateway gateway;

  RealMemcached memcached() {
    return closing(RealMemcached.start());
  }

  ScriptedServer scripted(ScriptedServer.Script script) throws IOException {
    return closing(new ScriptedServer(script));
  }

  private <T extends AutoCloseable> T closing(T resource) {
    open.add(resource);
    return resource;
  }

  /**
   * A pool that notices soon whether its servers are there. It waits for replies longer than a busy
   * machine makes it; more is YAML behind what it has.
   */
  static String pool(String name, String more, InetSocketAddress... servers) {
    String format =
        "%s: {servers: [%s], timeout: 10s,"
            + " connections: {probeAfter: 100ms, connectTimeout: 10s}%s}";
    return format.formatted(
        name,
        Arrays.stream(servers)
            .map(server -> '"' + name(server) + '"')
            .collect(Collectors.joining(", ")),
        more.isEmpty() ? "" : ", " + more);
  }

  /** The same for servers that are silent on purpose. */
  static String impatientPool(String name, String more, InetSocketAddress... servers) {
    return pool(name, more, servers).replace("timeout: 10s", "timeout: 1s, queueTimeout: 10s");
  }

  static String name(InetSocketAddress server) {
    return "127.0.0.1:" + server.getPort();
  }

  static String yaml(String rules, String... pools) {
    return """
    admin: {bind: 127.0.0.1:0}
    process: {eventLoops: 1}
    listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
    routes: {cache: [%s]}
    pools:
      %s
    """
        .formatted(rules, String.join("\n  ", pools));
  }

  /** Starts the gateway. */
  Scenario gateway(String rules, String... pools) {
    gateway = closing(RunningGateway.of(yaml(rules, pools)));
    return this;
  }

  /** The gateway has another configuration from now on. */
  void reload(String rules, String... pools) throws TimeoutException {
    LoadResult next = Loader.parse("next.yaml", yaml(rules, pools));
    assertThat(next.problems()).isEmpty();
    gateway.gateway().follow(next.configuration()).await(20, TimeUnit.SECONDS);
  }

  RunningGateway gateway() {
    return gateway;
  }

  /** A client of the gateway. */
  RawClient client() throws IOException {
    return client(gateway.address());
  }

  RawClient client(InetSocketAddress address) throws IOException {
    return closing(new RawClient(address));
  }

  /** Waits until the condition holds. */
  static void becomes(Callable<Boolean> condition) {
    assertThat(Patience.soon(condition)).isTrue();
  }

  /** Waits until the gateway says of a server that it is up, down or ejected. */
  void becomes(InetSocketAddress server, String state) {
    becomes(() -> is(server, state));
  }

  boolean is(InetSocketAddress server, String state) {
    return Pattern.compile(
            "\"server\" : \"%s\",\\s*\"state\" : \"%s\"".formatted(name(server), state))
        .matcher(gateway.admin("/pools"))
        .find();
  }

  /** A number of the gateway's metrics, over all its labels that hold part. */
  double metric(String name, String part) {
    return gateway
        .gateway()
        .scrape()
        .lines()
        .filter(line -> line.startsWith(name + "{") && line.contains(part))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf("} ") + 2)))
        .sum();
  }

  static String set(RawClient client, String key, String value) throws IOException {
    return client.ask("set " + key + " 0 0 " + value.length() + "\r\n" + value + "\r\n");
  }

  /** The value of a key, or the only line of the reply. */
  static String get(RawClient client, String key) throws IOException {
    String line = client.ask("get " + key + "\r\n");
    if (!line.startsWith("VALUE ")) {
      return line;
    }
    String value = client.line();
    assertThat(client.line()).isEqualTo("END");
    return value;
  }

  /** The seconds that an item has left to live. */
  static long timeToLive(RawClient client, String key) throws IOException {
    String line = client.ask("mg " + key + " t\r\n");
    assertThat(line).startsWith("HD t");
    return Long.parseLong(line.substring("HD t".length()));
  }

  /** What a server counts, such as cmd_get. */
  long counted(RealMemcached server, String what) throws IOException {
    RawClient client = client(server.address());
    long found = -1;
    for (String line = client.ask("stats\r\n"); !line.equals("END"); line = client.line()) {
      if (line.startsWith("STAT " + what + " ")) {
        found = Long.parseLong(line.substring(("STAT " + what + " ").length()));
      }
    }
    return found;
  }

  @Override
  public void close() {
    for (int i = open.size() - 1; i >= 0; i--) {
      try {
        open.get(i).close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
