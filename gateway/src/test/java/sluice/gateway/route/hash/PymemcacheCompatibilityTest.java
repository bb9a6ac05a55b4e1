package sluice.gateway.route.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Places keys by a ring and by the installed pymemcache, whose HashClient a script asks. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class PymemcacheCompatibilityTest {
  private static final String SCRIPT =
      """
      import sys
      from pymemcache.client.hash import HashClient
      servers = []
      for line in open(sys.argv[1]):
          host, port = line.rstrip('\\n').rsplit(' ', 1)
          servers.append(host if port == '0' else (host, int(port)))
      client = HashClient(servers)
      def name(server):
          return server if isinstance(server, str) else '%s %d' % server
      for key in open(sys.argv[2]):
          print(name(client._get_client(key.rstrip('\\n')).server))
      """;

  private static final Map<String, List<Member>> LISTS =
      Map.of(
          "addresses",
          List.of(
              tcp("10.0.0.3", 11_212),
              tcp("10.0.0.1", 11_211),
              tcp("cache.example.org", 22_122),
              tcp("10.0.0.2", 65_535)),
          "names of every length modulo four",
          List.of(
              tcp("a", 11_211),
              tcp("bb", 11_211),
              tcp("ccc", 11_211),
              tcp("dddd", 11_211),
              tcp("2001:db8::7", 11_211)),
          "sockets",
          List.of(
              new Member("unix:/run/a.sock", "/run/a.sock", 0, 1),
              tcp("10.0.0.1", 11_211),
              new Member("/run/b.sock", "/run/b.sock", 0, 1)),
          "many",
          IntStream.range(0, 40).mapToObj(i -> tcp("cache-" + i, 11_211)).toList());

  @TempDir private Path directory;

  private static Member tcp(String host, int port) {
    String written = host.contains(":") ? "[" + host + "]" : host;
    return new Member(written + ":" + port, host, port, 1);
  }

  static Stream<String> lists() {
    return LISTS.keySet().stream().sorted();
  }

  /** Of ASCII, as pymemcache takes keys unless it is told otherwise. */
  private static byte[][] keys() {
    Random random = new Random(20_611);
    byte[][] keys = new byte[5_000][];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = new byte[1 + random.nextInt(i % 4 == 0 ? 250 : 24)];
      for (int at = 0; at < keys[i].length; at++) {
        keys[i][at] = (byte) ('!' + random.nextInt('~' - '!' + 1));
      }
    }
    return keys;
  }

  private List<String> asked(List<Member> members, byte[][] keys) throws Exception {
    Path servers =
        Files.write(
            directory.resolve("servers"),
            members.stream().map(PymemcacheCompatibilityTest::shown).toList());
    Path file =
        Files.write(
            directory.resolve("keys"),
            Arrays.stream(keys).map(k -> new String(k, StandardCharsets.US_ASCII)).toList());
    Process process =
        new ProcessBuilder("/usr/bin/python3", "-c", SCRIPT, servers.toString(), file.toString())
            .redirectError(directory.resolve("errors").toFile())
            .start();
    List<String> answers = new ArrayList<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII))) {
      lines.lines().forEach(answers::add);
    }
    assertThat(process.waitFor()).as(Files.readString(directory.resolve("errors"))).isZero();
    return answers;
  }

  private static String shown(Member member) {
    return member.port() == 0 ? member.host() + " 0" : member.host() + " " + member.port();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("lists")
  void shouldPlaceEveryKeyAsTheClientDoes(String list) throws Exception {
    List<Member> members = LISTS.get(list);
    byte[][] keys = keys();
    int[] placed = Keys.placed(Rings.of("murmur3", "pymemcache", "", members), keys);
    List<String> expected = asked(members, keys);
    assertThat(
            Arrays.stream(placed)
                .mapToObj(members::get)
                .map(PymemcacheCompatibilityTest::shown)
                .map(each -> each.replaceFirst(" 0$", "")))
        .containsExactlyElementsOf(expected);
    assertThat(expected.stream().distinct()).hasSameSizeAs(members);
  }
}
