package sluice.gateway.route.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Places keys by a ring and through a running twemproxy in front of servers that say who they are.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
class TwemproxyCompatibilityTest {
  private static final List<String> LISTS =
      List.of("plain", "weights", "names, default ports, sockets", "one point of two servers");
  private static final List<String> TAGS = List.of("{}", "$$", "[}");

  private Path directory;
  private final List<FakeServer> servers = new ArrayList<>();
  private final Map<String, List<Member>> members = new LinkedHashMap<>();
  private final Map<String, List<String>> lines = new LinkedHashMap<>();
  private final byte[][] keys = Keys.any(Keys.COUNT);
  private Nutcracker nutcracker;

  @BeforeAll
  void startServersAndTwemproxy(@TempDir Path temporary) throws IOException {
    directory = temporary;
    for (int i = 0; i < 6; i++) {
      add("plain", null, anyPort(), 1);
    }
    for (int weight : new int[] {10, 1, 11, 2, 1}) { // single precision rounds 8 points to 7 here
      add("weights", null, anyPort(), weight);
    }
    String mixed = LISTS.get(2);
    add(mixed, "zeta", anyPort(), 1);
    add(mixed, null, defaultPort(), 3);
    add(mixed, null, UnixDomainSocketAddress.of(directory.resolve("a.mc")), 2);
    add(mixed, "alpha", defaultPort(), 1);
    add(mixed, null, anyPort(), 1);
    add(mixed, "socket", UnixDomainSocketAddress.of(directory.resolve("b.mc")), 1);
    // cache427-37 and cache4814-15, say, share a point, and a hundredth of all hashes lead to it
    add(LISTS.get(3), "cache4814", anyPort(), 1);
    add(LISTS.get(3), "cache427", anyPort(), 1);

    StringBuilder pools = new StringBuilder();
    for (String function : Nutcracker.FUNCTIONS) {
      for (String list : LISTS) {
        pool(pools, function, "ketama", "", list);
        pool(pools, function, "modula", "", list);
      }
    }
    for (String tag : TAGS) {
      pool(pools, "fnv1a_64", "ketama", tag, "plain");
      pool(pools, "md5", "modula", tag, "plain");
    }
    nutcracker = new Nutcracker(directory, pools.toString());
  }

  private static SocketAddress anyPort() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  /** On a loopback address that nobody else is likely to use. */
  private static SocketAddress defaultPort() throws IOException {
    byte[] host = new byte[4];
    ThreadLocalRandom.current().nextBytes(host);
    host[0] = 127;
    host[3] |= 2; // neither the network nor 127.0.0.1
    return new InetSocketAddress(InetAddress.getByAddress(host), 11_211);
  }

  private void add(String list, String name, SocketAddress bind, int weight) throws IOException {
    int number = members.computeIfAbsent(list, key -> new ArrayList<>()).size();
    FakeServer server = new FakeServer(number, bind);
    servers.add(server);
    String host;
    int port = 0;
    String address;
    if (server.address() instanceof InetSocketAddress bound) {
      host = bound.getAddress().getHostAddress();
      port = bound.getPort();
      address = host + ":" + port;
    } else {
      host = bind.toString();
      address = host;
    }
    members.get(list).add(new Member(name == null ? address : name, host, port, weight));
    lines
        .computeIfAbsent(list, key -> new ArrayList<>())
        .add(address + ":" + weight + (name == null ? "" : " " + name));
  }

  private static String poolName(String function, String distribution, String tag, String list) {
    return function + "_" + distribution + "_" + TAGS.indexOf(tag) + "_" + LISTS.indexOf(list);
  }

  private void pool(
      StringBuilder pools, String function, String distribution, String tag, String list) {
    String name = poolName(function, distribution, tag, list);
    pools.append(name).append(":\n");
    pools.append("  listen: ").append(Nutcracker.socket(directory, name)).append('\n');
    pools.append("  hash: ").append(function).append('\n');
    pools.append("  distribution: ").append(distribution).append('\n');
    if (!tag.isEmpty()) {
      pools.append("  hash_tag: \"").append(tag).append("\"\n");
    }
    pools.append("  servers:\n");
    lines.get(list).forEach(line -> pools.append("    - ").append(line).append('\n'));
  }

  @AfterAll
  void stopAll() throws Exception {
    if (nutcracker != null) {
      nutcracker.close();
    }
    for (FakeServer server : servers) {
      server.close();
    }
  }

  static Stream<List<String>> functionsAndLists() {
    return Nutcracker.FUNCTIONS.stream().flatMap(f -> LISTS.stream().map(list -> List.of(f, list)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("functionsAndLists")
  void shouldPlaceEveryKeyOfAKetamaPoolWhereTwemproxyDoes(List<String> test) throws Exception {
    shouldAgree(test.get(0), "ketama", "", test.get(1), keys);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("functionsAndLists")
  void shouldPlaceEveryKeyOfAModulaPoolWhereTwemproxyDoes(List<String> test) throws Exception {
    shouldAgree(test.get(0), "modula", "", test.get(1), Arrays.copyOf(keys, 2_000));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({"{}", "$$", "[}"})
  void shouldHashWhatTwemproxyTakesForTheTag(String tag) throws Exception {
    byte[][] tagged = Keys.tagged(Keys.COUNT, tag);
    shouldAgree("fnv1a_64", "ketama", tag, "plain", tagged);
    shouldAgree("md5", "modula", tag, "plain", tagged);
  }

  private void shouldAgree(
      String function, String distribution, String tag, String list, byte[][] some)
      throws Exception {
    Ring ring = Rings.of(function, distribution, tag, members.get(list));
    assertThat(Keys.placed(ring, some))
        .isEqualTo(nutcracker.placed(poolName(function, distribution, tag, list), some));
  }
}
