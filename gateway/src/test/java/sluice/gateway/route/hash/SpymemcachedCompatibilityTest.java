package sluice.gateway.route.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.spy.memcached.ArrayModNodeLocator;
import net.spy.memcached.DefaultHashAlgorithm;
import net.spy.memcached.KetamaNodeKeyFormatter;
import net.spy.memcached.KetamaNodeKeyFormatter.Format;
import net.spy.memcached.KetamaNodeLocator;
import net.spy.memcached.MemcachedNode;
import net.spy.memcached.NodeLocator;
import net.spy.memcached.util.DefaultKetamaNodeLocatorConfiguration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Places keys by a ring and by spymemcached's locators. */
class SpymemcachedCompatibilityTest {
  private static final int COUNT = 2_000; // of each of 84 rings

  private static final Map<DefaultHashAlgorithm, String> FUNCTIONS =
      Map.of(
          DefaultHashAlgorithm.NATIVE_HASH, "java",
          DefaultHashAlgorithm.CRC_HASH, "crc32",
          DefaultHashAlgorithm.FNV1_64_HASH, "fnv1_64",
          DefaultHashAlgorithm.FNV1A_64_HASH, "fnv1a_64",
          DefaultHashAlgorithm.FNV1_32_HASH, "fnv1_32",
          DefaultHashAlgorithm.FNV1A_32_HASH, "fnv1a_32",
          DefaultHashAlgorithm.KETAMA_HASH, "md5");

  private static final Map<String, int[]> WEIGHTS =
      Map.of(
          "equal", new int[] {1, 1, 1, 1, 1},
          "weights", new int[] {11, 1, 10, 2, 1},
          "25 servers", IntStream.range(0, 25).map(i -> 1).toArray());

  static {
    // One of its assertions counts points as if all weights were equal. Applications run without.
    KetamaNodeLocator.class
        .getClassLoader()
        .setClassAssertionStatus(KetamaNodeLocator.class.getName(), false);
  }

  static Stream<Arguments> rings() {
    return WEIGHTS.keySet().stream()
        .sorted()
        .flatMap(list -> Arrays.stream(DefaultHashAlgorithm.values()).map(f -> arguments(list, f)));
  }

  /** A name of its own, and an address, whose text Java begins with a slash. */
  private static InetSocketAddress address(int i) {
    byte[] ip = {10, 0, 1, (byte) i};
    try {
      return i % 2 == 0
          ? InetSocketAddress.createUnresolved("10.0.1." + i, 11_211 + i)
          : new InetSocketAddress(java.net.InetAddress.getByAddress("cache-" + i, ip), 11_211 + i);
    } catch (java.net.UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  private static MemcachedNode node(SocketAddress address) {
    return (MemcachedNode)
        Proxy.newProxyInstance(
            MemcachedNode.class.getClassLoader(),
            new Class<?>[] {MemcachedNode.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "getSocketAddress" -> address;
                  case "hashCode" -> System.identityHashCode(proxy);
                  case "equals" -> proxy == arguments[0];
                  case "toString" -> address.toString();
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private static byte[][] keys() {
    Random random = new Random(20_612);
    byte[][] keys = new byte[COUNT][];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = new byte[1 + random.nextInt(i % 4 == 0 ? 250 : 24)];
      for (int at = 0; at < keys[i].length; at++) {
        keys[i][at] = (byte) ('!' + random.nextInt('~' - '!' + 1));
      }
    }
    return keys;
  }

  private static void agree(Ring ring, NodeLocator locator, List<MemcachedNode> nodes) {
    byte[][] keys = keys();
    int[] placed = Keys.placed(ring, keys);
    int[] expected = new int[keys.length];
    for (int i = 0; i < keys.length; i++) {
      expected[i] =
          nodes.indexOf(locator.getPrimary(new String(keys[i], StandardCharsets.US_ASCII)));
    }
    assertThat(placed).isEqualTo(expected).hasSizeGreaterThan(1_000);
  }

  private static List<MemcachedNode> nodes(int[] weights) {
    return IntStream.range(0, weights.length).mapToObj(i -> node(address(i))).toList();
  }

  /** As the guide says: the name is what spymemcached makes of the address. */
  private static List<Member> members(
      int[] weights, KetamaNodeKeyFormatter names, List<MemcachedNode> nodes) {
    return IntStream.range(0, weights.length)
        .mapToObj(
            i ->
                new Member(
                    names.getKeyForNode(nodes.get(i), 0).replaceFirst("-0$", ""),
                    "10.0.1." + i,
                    11_211 + i,
                    weights[i]))
        .toList();
  }

  @ParameterizedTest(name = "{0}, {1}")
  @MethodSource("rings")
  void shouldPlaceEveryKeyAsTheKetamaLocatorDoes(String list, DefaultHashAlgorithm algorithm) {
    int[] weights = WEIGHTS.get(list);
    for (Format format : Format.values()) {
      List<MemcachedNode> nodes = nodes(weights);
      Map<InetSocketAddress, Integer> byAddress = new HashMap<>();
      boolean weighted = IntStream.of(weights).distinct().count() > 1;
      for (int i = 0; weighted && i < weights.length; i++) {
        byAddress.put((InetSocketAddress) nodes.get(i).getSocketAddress(), weights[i]);
      }
      NodeLocator locator =
          new KetamaNodeLocator(
              nodes,
              algorithm,
              byAddress,
              new DefaultKetamaNodeLocatorConfiguration(new KetamaNodeKeyFormatter(format)));
      List<Member> members = members(weights, new KetamaNodeKeyFormatter(format), nodes);
      agree(Rings.of(FUNCTIONS.get(algorithm), "ketama_spymemcached", "", members), locator, nodes);
    }
  }

  @ParameterizedTest(name = "{0}, {1}")
  @MethodSource("rings")
  void shouldPlaceEveryKeyAsTheModuloLocatorDoes(String list, DefaultHashAlgorithm algorithm) {
    int[] weights = WEIGHTS.get(list);
    List<MemcachedNode> nodes = nodes(weights);
    List<Member> members = members(weights, new KetamaNodeKeyFormatter(Format.SPYMEMCACHED), nodes);
    agree(
        Rings.of(FUNCTIONS.get(algorithm), "modula_libmemcached", "", members),
        new ArrayModNodeLocator(nodes, algorithm),
        nodes);
  }
}
