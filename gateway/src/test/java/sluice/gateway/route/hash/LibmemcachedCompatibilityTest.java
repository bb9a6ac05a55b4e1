package sluice.gateway.route.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Places keys by a ring and by the installed libmemcached, which a Python script calls. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(60)
class LibmemcachedCompatibilityTest {
  private static final String MODULA = "9=0"; // MEMCACHED_BEHAVIOR_DISTRIBUTION
  private static final String KETAMA = "9=2";
  private static final String KETAMA_WEIGHTED = "16=1"; // MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED

  /** In the order of memcached_hash_t; hsieh, the eighth, is missing from most builds. */
  private static final List<String> FUNCTIONS =
      List.of(
          "default",
          "md5",
          "crc",
          "fnv1_64",
          "fnv1a_64",
          "fnv1_32",
          "fnv1a_32",
          "hsieh",
          "murmur",
          "jenkins",
          "murmur3");

  private static final Map<String, List<Member>> LISTS =
      Map.of(
          "plain",
          List.of(
              tcp("10.0.0.3", 11_212, 1),
              tcp("10.0.0.1", 11_212, 1),
              tcp("cache.example.org", 22_122, 1),
              tcp("10.0.0.2", 65_535, 1),
              tcp("2001:db8::7", 11_212, 1)),
          "default ports and sockets",
          List.of(
              tcp("10.0.0.2", 11_211, 1),
              new Member("/run/memcached/a.sock", "/run/memcached/a.sock", 0, 1),
              tcp("10.0.0.1", 11_211, 1),
              new Member("unix:/run/memcached/b.sock", "/run/memcached/b.sock", 0, 1),
              tcp("10.0.0.1", 11_212, 1)),
          "weights",
          List.of(
              tcp("10.0.0.9", 11_211, 11),
              tcp("10.0.0.1", 11_212, 1),
              tcp("10.0.0.2", 11_212, 10),
              tcp("10.0.0.3", 11_212, 2),
              tcp("10.0.0.4", 11_212, 1)),
          "25 servers", // single precision makes 156 points of 160 each
          IntStream.range(0, 25).mapToObj(i -> tcp("10.0.1." + i, 11_212, 1)).toList(),
          "one point of two servers", // in 160 points each, as the test against twemproxy has them
          List.of(tcp("cache4814", 11_211, 1), tcp("cache427", 11_211, 1)));

  private final byte[][] keys = Keys.any(Keys.COUNT);
  private Process process;
  private Writer cases;
  private BufferedReader answers;

  private static Member tcp(String host, int port, int weight) {
    return new Member(host + ":" + port, host, port, weight);
  }

  @BeforeAll
  void startTheScript(@TempDir Path directory) throws IOException {
    HexFormat hex = HexFormat.of();
    Path file =
        Files.write(directory.resolve("keys"), Arrays.stream(keys).map(hex::formatHex).toList());
    process =
        new ProcessBuilder(
                "python3",
                Path.of("src/test/python/libmemcached_placement.py").toString(),
                file.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    cases = process.outputWriter(StandardCharsets.US_ASCII);
    answers = process.inputReader(StandardCharsets.US_ASCII);
  }

  @AfterAll
  void stopTheScript() throws Exception {
    if (process != null) {
      cases.close();
      assertThat(process.waitFor(10, TimeUnit.SECONDS)).as("the script ended").isTrue();
    }
  }

  private String ask(String function, String behaviors, List<Member> members) throws IOException {
    cases.write(FUNCTIONS.indexOf(function) + "\t" + behaviors);
    for (Member member : members) {
      cases.write("\t" + member.host() + "\t" + member.port() + "\t" + member.weight());
    }
    cases.write("\n");
    cases.flush();
    String answer = answers.readLine();
    assertThat(answer)
        .as("answer of the script (needs python3 and libmemcached.so.11)")
        .isNotNull();
    return answer;
  }

  static Stream<List<String>> functionsAndLists() {
    return FUNCTIONS.stream()
        .filter(function -> !function.equals("hsieh"))
        .flatMap(f -> LISTS.keySet().stream().sorted().map(list -> List.of(f, list)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("functionsAndLists")
  void shouldPlaceEveryKeyWhereLibmemcachedDoes(List<String> test) throws IOException {
    shouldAgree("ketama_libmemcached", KETAMA, test.get(0), test.get(1));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("functionsAndLists")
  void shouldPlaceEveryKeyWhereLibmemcachedDoesWhenToldToWeigh(List<String> test)
      throws IOException {
    shouldAgree("ketama_libmemcached_weighted", KETAMA_WEIGHTED, test.get(0), test.get(1));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("functionsAndLists")
  void shouldDivideAsLibmemcachedDoes(List<String> test) throws IOException {
    shouldAgree("modula_libmemcached", MODULA, test.get(0), test.get(1));
  }

  @Test
  void shouldAlsoAgreeAboutHsiehUnlessTheLibraryLacksIt() throws IOException {
    String answer = ask("hsieh", KETAMA_WEIGHTED, LISTS.get("plain"));
    Ring ring = Rings.of("hsieh", "ketama_libmemcached_weighted", "", LISTS.get("plain"));
    assertThat(answer).isIn("refused", line(Keys.placed(ring, keys)));
  }

  @Test
  void shouldPlaceAsTwemproxyDoesWhenLibmemcachedWeighsServersWithoutSocketsAndSharedPoints()
      throws IOException {
    shouldAgree("ketama", KETAMA_WEIGHTED, "fnv1a_64", "plain");
    shouldAgree("ketama", KETAMA_WEIGHTED, "fnv1a_64", "weights");
    shouldAgree("ketama", KETAMA, "fnv1a_64", "weights");
  }

  private void shouldAgree(String distribution, String behaviors, String function, String list)
      throws IOException {
    Ring ring = Rings.of(function, distribution, "", LISTS.get(list));
    assertThat(line(Keys.placed(ring, keys))).isEqualTo(ask(function, behaviors, LISTS.get(list)));
  }

  private static String line(int[] servers) {
    return Arrays.stream(servers).mapToObj(String::valueOf).collect(Collectors.joining(" "));
  }
}
